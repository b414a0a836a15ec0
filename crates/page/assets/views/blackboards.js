// The blackboards of supervised runs.

import { button, h, withCode } from "../dom.js";
import { act, look, part } from "../server.js";
import { clock, count, moment } from "../words.js";

export const title = "Blackboards";
export const changes = ["blackboards"];

export const load = (place) => look(place ? `/blackboards/${part(place)}` : "/blackboards");

export function draw(data, tools, place) {
  return place ? thread(data, tools) : all(data.threads);
}

function all(threads) {
  return [
    h("h1", null, "Blackboards"),
    h("p", { class: "lead" }, "Where several partitions work on one question under a supervisor: what they look for, who has which part, and what is verified. You can step in."),
    threads.length ? h("ul", { class: "threads" }, threads.map((one) => h("li", null, h("a", { href: `#/blackboards/${part(one.thread)}` },
      h("b", null, one.thread), h("span", null, one.goal ?? one.problem ?? "no strategy yet"),
      h("small", null, `${count(one.entries, "entry", "entries")}${one.last_at ? `, the last ${moment(one.last_at)}` : ""}; ${one.is_done ? "done" : `${count(one.obstacles, "thing")} open`}`)))))
      : h("p", { class: "empty" }, "There is no thread. Supervised runs make them; they expire some time after their last entry."),
  ];
}

const STATES = { verified: "good", pending: "busy", unverified: "bad", open: "fair" };

function thread(board, tools) {
  const text = h("textarea", { id: "directive", rows: 2, maxlength: 4000, placeholder: "Tell the supervisor something" });
  const send = () => tools.doing("Written on the blackboard.", async () => {
    await act(`/blackboards/${part(board.thread)}/directives`, { text: text.value });
    text.value = "";
  });
  return [
    h("p", null, h("a", { href: "#/blackboards" }, "‹ all threads")),
    h("h1", null, board.thread),
    goalOf(board) ? h("p", { class: "lead" }, goalOf(board)) : null,
    board.synthesis ? h("section", { class: "synthesis" }, h("h2", null, "Synthesis"), h("p", null, board.synthesis)) : null,
    board.facts.length ? [h("h2", null, "What is known"), h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, ["Entity", "Field", "State", "Value", "From"].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", null, board.facts.map((fact) => h("tr", null, h("th", { scope: "row" }, fact.entity), h("td", null, fact.field), h("td", null, h("span", { class: `outcome ${STATES[fact.state] ?? "fair"}` }, fact.state)),
        h("td", null, fact.value ?? fact.claimed_value ?? "", fact.reason ? h("small", null, fact.reason) : null), h("td", null, fact.source_url ?? "", fact.by ? h("small", null, `by ${fact.by}`) : null))))))] : null,
    board.obstacles.length ? [h("h2", null, "Missing before a synthesis"), h("ul", { class: "plain" }, board.obstacles.map((one) => h("li", null, withCode(one))))] : null,
    h("section", { class: "form", id: "directive-form", "aria-labelledby": "direct", "data-mark": board.thread }, h("h2", { id: "direct" }, "Step in"), h("label", null, h("span", null, "A directive: the supervisor has to take it into account"), text), button("Write it", send, { class: "main", id: "directive-send" })),
    h("h2", null, count(board.entries.length, "entry", "entries")),
    h("ol", { class: "talk" }, [...board.entries].reverse().map((entry) => h("li", { class: entry.role }, h("b", null, `${entry.seq} ${entry.kind}`), h("span", { class: "soft" }, `${entry.role} ${entry.by}, ${clock(entry.ts)}`), h("span", null, said(entry))))),
  ];
}

/** What the newest strategy is after. */
const goalOf = (board) => board.entries.findLast((entry) => entry.kind === "STRATEGY")?.goal;

const ABOUT = new Set(["seq", "ts", "role", "by", "kind", "checked"]);

function said(entry) {
  const shown = (value) => (Array.isArray(value) ? value.map(shown).join(", ") : value !== null && typeof value === "object" ? Object.entries(value).map(([name, one]) => `${name} → ${shown(one)}`).join(", ") : String(value));
  const fields = Object.entries(entry).filter(([name, value]) => !ABOUT.has(name) && value !== null);
  return fields.length === 1 ? shown(fields[0][1]) : fields.map(([name, value]) => `${name.replaceAll("_", " ")}: ${shown(value)}`).join(" · ");
}
