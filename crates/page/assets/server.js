// The daemon behind this page.

const BASE = "/api/v1";
const KEY = "subcortex token";
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Takes the token from the address, where nobody but this page has seen it, and leaves the address without it: `#token` or `#token/view`. */
export function takeToken() {
  const found = /^#([0-9a-f]{64})(\/[a-z/]+)?$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEY, found[1]);
    history.replaceState(null, "", `/#${found[2] ?? "/broadcast"}`);
  }
  return sessionStorage.getItem(KEY) !== null;
}

/** Why something was not done. */
export class Refusal extends Error {
  constructor(status, why) {
    super(why);
    this.status = status;
  }
}

function headers(more) {
  return { authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}`, ...more };
}

async function answered(response) {
  if (response.ok) return response;
  const text = await response.text();
  let why = text;
  try { why = JSON.parse(text).error ?? text; } catch { /* plain text */ }
  throw new Refusal(response.status, why);
}

/** Looks at something. */
export async function look(path, query) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const tail = given.length ? `?${new URLSearchParams(given)}` : "";
  const response = await answered(await fetch(`${BASE}${path}${tail}`, { headers: headers() }));
  return response.json();
}

/** Does something. */
export async function act(path, body) {
  const request = { method: "POST", headers: headers({ "content-type": "application/json" }), body: JSON.stringify(body ?? {}) };
  const response = await answered(await fetch(`${BASE}${path}`, request));
  return response.json();
}

/** A part of a path, whatever it holds. */
export const part = (text) => encodeURIComponent(text);

/**
 * Listens for changes until the page is gone. `changed` is called with the names of what changed, and with null for
 * everything; `connected` with whether the daemon is there, and whether it knows this page.
 */
export async function listen(changed, connected) {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    try {
      const response = await answered(await fetch(`${BASE}/stream`, { headers: headers() }));
      connected(true, true);
      pause = FIRST_PAUSE_MS;
      for await (const [name, data] of events(response.body)) {
        if (name === "hello") changed(null);
        if (name === "changed") changed(data.what);
      }
    } catch (error) {
      const known = !(error instanceof Refusal && error.status === 403);
      connected(false, known);
      if (!known) return;
    }
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").filter((line) => !line.startsWith(":")).map((line) => {
        const at = line.indexOf(":");
        return [line.slice(0, at), line.slice(at + 1).trim()];
      }));
      if (fields.event) yield [fields.event, JSON.parse(fields.data)];
    }
  }
}
