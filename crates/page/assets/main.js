// The page: which view is shown, when it is asked for again, and what stands above it.

import { become, button, fill, h } from "./dom.js";
import { Refusal, listen, look, takeToken } from "./server.js";
import { clock, count, moment, usd } from "./words.js";
import * as blackboards from "./views/blackboards.js";
import * as broadcast from "./views/broadcast.js";
import * as inboxes from "./views/inboxes.js";
import * as now from "./views/now.js";
import * as review from "./views/review.js";
import * as runs from "./views/runs.js";
import * as spend from "./views/spend.js";
import * as spine from "./views/spine.js";

/**
 * Each view: `load(place)` asks for its data, `draw(data, tools)` shows it, `changes` says what it is about; `arrive(place)`, where
 * there is one, leads to a place in it.
 */
const VIEWS = { broadcast, review, now, runs, inboxes, blackboards, spend, spine };

const element = (id) => document.getElementById(id);
const [menu, glance, notice, main, foot] = ["views", "glance", "notice", "view", "foot"].map(element);

let shown = { name: null, place: null, data: null };
let loading = 0;

/** What views can do besides showing. */
const tools = {
  /** Does something, says how it went, and shows what came of it. */
  async doing(words, deed) {
    try {
      await deed();
      say(words, "good");
    } catch (error) {
      say(error.message, "bad");
    }
    await Promise.all([refresh(true), refreshGlance()]);
  },
  say,
};

function say(words, kind) {
  fill(notice, words && h("p", { class: kind }, words, button("Close", () => say(null), { class: "quiet" })));
}

/** The view and the place in it that the address names. */
function address() {
  const [name, ...place] = location.hash.replace(/^#\//, "").split("/");
  return { name: VIEWS[name] ? name : "broadcast", place: place.map(decodeURIComponent).join("/") || null };
}

function drawMenu(badges) {
  const { name } = address();
  become(menu, Object.entries(VIEWS).map(([key, view]) => h("li", null,
    h("a", { href: `#/${key}`, "aria-current": key === name ? "page" : null }, view.title,
      badges?.[key] ? h("b", { class: "badge", "aria-label": `${badges[key]} waiting` }, badges[key]) : null))));
}

/** Shows the view of the address; an open one only when its data changed, and with everything that somebody has begun there. */
async function refresh(force) {
  const { name, place } = address();
  const isNew = name !== shown.name || place !== shown.place;
  const mine = ++loading;
  if (isNew) main.setAttribute("aria-busy", "true");
  try {
    const data = await VIEWS[name].load(place, isNew ? null : shown.data);
    if (mine !== loading) return;
    if (!isNew && !force && JSON.stringify(data) === JSON.stringify(shown.data)) return;
    const kept = isNew ? null : remember();
    shown = { name, place, data };
    (isNew ? fill : become)(main, VIEWS[name].draw(data, tools, place));
    document.title = `${VIEWS[name].title} · subcortex`;
    if (kept) restore(kept);
    if (isNew && place) VIEWS[name].arrive?.(place);
    main.setAttribute("aria-busy", "false");
  } catch (error) {
    if (mine !== loading) return;
    main.setAttribute("aria-busy", "false");
    if (error instanceof Refusal && error.status === 403) return askForToken();
    shown = { name, place, data: null };
    fill(main, h("p", { class: "empty" }, error instanceof Refusal ? error.message : "The daemon does not answer."));
  }
}

const WRITTEN = "textarea, select, input[type=text], input[type=search]";

/** What a person has opened and written, and where they are. */
function remember() {
  const focus = main.contains(document.activeElement) ? document.activeElement : null;
  return {
    open: [...main.querySelectorAll("details[open][id]")].map((details) => details.id),
    chosen: [...main.querySelectorAll("input[type=radio]:checked")].map((choice) => choice.id),
    written: [...main.querySelectorAll(WRITTEN)].map((field) => [field.id, field.value]),
    focus: focus?.id,
    caret: focus?.matches(WRITTEN) ? [focus.selectionStart, focus.selectionEnd] : null,
    top: scrollY,
  };
}

function restore({ open, chosen, written, focus, caret, top }) {
  for (const id of open) { const details = element(id); if (details) details.open = true; }
  for (const id of chosen) { const choice = element(id); if (choice) choice.checked = true; }
  for (const [id, value] of written) { const field = element(id); if (field) field.value = value; }
  const focused = focus ? element(focus) : null;
  focused?.focus({ preventScroll: true });
  if (caret && caret[0] !== undefined) focused?.setSelectionRange?.(...caret);
  scrollTo(0, top);
}

function askForToken() {
  fill(glance);
  fill(main, h("div", { class: "empty door" }, h("h1", null, "This page needs its link"),
    h("p", null, "Run ", h("code", null, "subcortex open"), " in a terminal: it opens this page with the token of the daemon that runs now."),
    h("p", { class: "soft" }, "The token is another one each time the daemon starts, so that no old page or link opens it.")));
}

/** What a person wants to know first: is the memory followed, what goes on, what does it cost. */
async function refreshGlance() {
  try {
    const [status, memory] = await Promise.all([look("/now"), look("/broadcast")]);
    become(glance, ofMemory(memory), ofDaemon(status), ofCost(status));
    const stuck = status.partitions.reduce((sum, partition) => sum + partition.inbox.held, 0);
    drawMenu({ review: status.waiting_proposals, inboxes: stuck });
    become(foot, h("p", null, `${status.home} · version ${status.daemon.version} · process ${status.daemon.pid}, since ${moment(status.daemon.since)}`));
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) askForToken();
  }
}

function card(view, kind, title, words, more) {
  return h("a", { class: `card ${kind}`, href: `#/${view}`, id: `glance-${view}` }, h("span", { class: "what" }, title),
    h("strong", null, words), h("span", { class: "more-words" }, more));
}

function ofMemory(memory) {
  const [contradicted, missed, followed] = ["contradicted", "missed", "followed"].map((name) => memory.standings.find((standing) => standing.class === name).count);
  const all = memory.lines.length;
  if (!all) return card("broadcast", "still", "Memory", memory.exists ? "No rules yet" : "No memory file yet", "subcortex adopt FILE takes one over");
  const rest = all - contradicted - missed - followed;
  const [worst] = broadcast.mostIgnored(memory.lines);
  return card("broadcast", contradicted || missed ? "bad" : "good", "Memory", contradicted ? `${contradicted} of ${count(all, "line")} contradicted by you` : missed ? `${missed} of ${count(all, "line")} ignored at times` : `No line of ${all} is ignored`,
    `${worst ? `most of all line ${worst.number}; ` : ""}${followed} always followed, ${rest} without a verdict`);
}

function ofDaemon(status) {
  const home = status.switches.find((one) => one.partition === null);
  if (home) return card("now", "fair", "Daemon", "Paused", home.why || "a kill switch is set for everything");
  if (status.trouble) return card("now", "bad", "Daemon", "Waiting", status.trouble);
  const running = status.partitions.filter((partition) => partition.state === "running").map((partition) => partition.name);
  const next = status.next_tick_at ? `looks for work at ${clock(status.next_tick_at)}` : "";
  const odd = status.partitions.filter((partition) => ["backing_off", "unusable", "paused"].includes(partition.state)).length;
  const held = status.partitions.reduce((sum, partition) => sum + partition.inbox.held, 0);
  const more = [odd ? `${count(odd, "partition")} cannot run` : "", held ? `${count(held, "task")} failed and ${held === 1 ? "waits" : "wait"} for you` : "", next].filter(Boolean).join("; ");
  if (running.length) return card("now", "busy", "Daemon", `Running ${running.join(", ")}`, more);
  return card("now", odd || held ? "fair" : "good", "Daemon", "Idle", more);
}

function ofCost(status) {
  const { today, cap_usd_per_day: cap } = status.spend;
  const over = cap !== null && today.usd >= cap * 0.8;
  const words = today.tokens ? `${usd(today.usd)} today` : "Nothing today";
  const tokens = today.tokens ? count(today.tokens, "token") : "no model was asked";
  return card("spend", over ? "fair" : "still", "Cost", words, cap === null ? `${tokens}, no limit is set` : `${tokens}, at most ${usd(cap)} a day`);
}

function changed(what) {
  if (!what || ["now", "memory", "review", "spend"].some((name) => what.includes(name))) refreshGlance();
  const { name } = address();
  if (!what || VIEWS[name].changes.some((change) => what.includes(change))) refresh(false);
}

function connected(isThere, isKnown) {
  document.body.classList.toggle("away", !isThere);
  if (!isKnown) askForToken();
  else if (!isThere) say("The daemon does not answer. This page goes on asking.", "bad");
  else if (notice.querySelector(".bad")) say(null);
}

addEventListener("hashchange", async () => {
  if (/^#[0-9a-f]{64}/.test(location.hash)) return location.reload();
  say(null);
  drawMenu();
  const { name, place } = address();
  if (!(place && VIEWS[name].arrive)) scrollTo(0, 0);
  await Promise.all([refresh(false), refreshGlance()]);
});
element("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });

if (takeToken()) {
  drawMenu();
  main.setAttribute("aria-busy", "true");
  listen(changed, connected);
} else {
  askForToken();
}
