// The broadcast as a coverage report.

import { bar, trend } from "../charts.js";
import { button, careful, fill, h, withCode } from "../dom.js";
import { act, look, part } from "../server.js";
import { bare, count, day, moment, short } from "../words.js";

export const title = "Memory";
export const changes = ["memory"];

export async function load() {
  const [report, edits] = await Promise.all([look("/broadcast"), look("/edits")]);
  return { report, edits };
}

export function draw({ report, edits }, tools) {
  return [
    h("h1", null, "What agents are told, and whether they follow it"),
    h("p", { class: "lead" }, "Each line of ", h("code", null, "memory/CLAUDE.md"), " is a test, held against what agents and people really did. Open one to see the evidence."),
    report.unseen_edits ? h("p", { class: "news" }, `The memory has been edited ${report.unseen_edits === 1 ? "once" : count(report.unseen_edits, "time")} since you last looked: `, h("a", { href: `#/broadcast/${EDITS}` }, "what changed")) : null,
    report.lines.length ? [worst(report), whole(report), filters(report), groups(report, tools)] : empty(report),
    edits.length ? history(edits, report, tools) : null,
  ];
}

/** The place of the edits in this view. */
const EDITS = "edits";

/** Leads to a line by its hash, or to the edits. */
export function arrive(place) {
  const found = document.getElementById(place === EDITS ? "edits-title" : `line-${place}`);
  if (!found) return;
  if (found.matches("details")) found.open = true;
  found.scrollIntoView();
  found.querySelector("summary")?.focus({ preventScroll: true });
}

/** The lines that are ignored, the worst first. One miss says less than twenty, so each line is given a turn of either kind. */
export function mostIgnored(lines) {
  const badness = ({ followed, missed }) => (missed + 1) / (followed + missed + 2);
  return lines.filter((line) => line.missed).sort((a, b) => badness(b) - badness(a));
}

/** How many ignored lines are named above a report, and how long one has to be for that. */
const [NAMED, LONG] = [3, 7];

function worst({ lines }) {
  const ignored = mostIgnored(lines).slice(0, NAMED);
  if (lines.length < LONG || !ignored.length) return null;
  return h("section", { class: "worst", "aria-labelledby": "worst-title" }, h("h2", { id: "worst-title" }, "Ignored most"),
    h("ol", null, ignored.map((line) => h("li", { value: line.number }, h("a", { href: `#/broadcast/${part(line.hash)}` }, withCode(bare(line.text))),
      h("span", { class: "missed" }, `missed ${line.missed} of ${count(line.followed + line.missed, "time")}`)))));
}

function empty(report) {
  return h("p", { class: "empty" }, report.exists ? "memory/CLAUDE.md holds no rules yet." : "There is no memory/CLAUDE.md yet. Take over one that you have: ",
    report.exists ? null : h("code", null, "subcortex adopt FILE"));
}

function whole({ standings }) {
  const words = standings.map((standing) => `${standing.count} ${standing.words.toLowerCase()}`).join(", ");
  return bar(standings.map((standing) => [standing.class, standing.count]), "bar whole", words);
}

function filters({ lines, standings }) {
  const choice = (id, name, n, words, meaning) => h("label", { class: name },
    h("input", { type: "radio", name: "show", id: `show-${id}`, checked: id === "all" }), h("b", null, n), " ", h("span", null, words, meaning ? h("small", null, meaning) : null));
  return h("fieldset", { class: "filters", "data-mark": JSON.stringify([lines.length, standings]) }, h("legend", null, "Show"),
    choice("all", "all", lines.length, lines.length === 1 ? "line" : "lines", null),
    standings.map((standing) => choice(standing.class, standing.class, standing.count, standing.words, standing.meaning)));
}

function groups({ lines }, tools) {
  const sections = [];
  for (const line of lines) {
    const last = sections.at(-1);
    if (last && last.heading === line.heading) last.lines.push(line);
    else sections.push({ heading: line.heading, lines: [line] });
  }
  return sections.map((section) => h("section", { class: "group" }, section.heading ? h("h2", null, section.heading) : null,
    section.lines.map((line) => rule(line, tools))));
}

function rule(line, tools) {
  const more = h("div", { class: "more" });
  const details = h("details", { class: `rule ${line.standing}`, id: `line-${line.hash}`, "data-mark": JSON.stringify(line) },
    h("summary", null, h("span", { class: "line" }, line.number), h("span", { class: "text" }, withCode(bare(line.text)), line.trial ? h("span", { class: "tag" }, "on trial") : null), score(line)), more);
  details.addEventListener("toggle", () => { if (details.open) story(line, more, tools); });
  return details;
}

function score(line) {
  const decided = line.followed + line.missed;
  const percent = decided ? Math.floor((100 * line.followed) / decided) : null;
  const counts = [["contradicted", line.contradicted], ["followed", line.followed], ["missed", line.missed], ["unclear", line.unclear]].filter(([, n]) => n > 0);
  const none = { untestable: "not testable", doubted: "not trusted" }[line.standing] ?? "never came up";
  return h("span", { class: "score" },
    decided ? [line.trend.length > 1 ? trend(line.trend) : bar([["followed", line.followed], ["missed", line.missed]], "bar", `${percent}% followed`), h("b", { class: "percent" }, `${percent}%`)] : null,
    h("span", { class: "counts" }, counts.length ? counts.map(([name, n]) => h("span", { class: name }, `${n} ${name}`)) : none));
}

async function story(line, more, tools) {
  fill(more, check(line), h("p", { class: "soft" }, "Looking for the evidence …"));
  try {
    const found = await look(`/broadcast/${part(line.hash)}`);
    fill(more, check(line), evidence(found, "WEAKENING", "missed"), evidence(found, "STRENGTHENING", "followed"), evidence(found, "NEUTRAL", "unclear"),
      evidence(found, "NEW_SIGNAL", "said"), found.fragments.length ? null : h("p", { class: "none" }, line.state === "not_testable" ? "No turn could show whether it is followed." : "It never came up."),
      found.earlier ? h("p", { class: "none" }, `${count(found.earlier, "earlier piece")} of evidence: subcortex why L${line.number} --json`) : null,
      found.edits.length ? [h("h3", null, "Edits that made it"), h("ul", { class: "edits" }, found.edits.map((edit) => editItem(edit, null)))] : null);
  } catch (error) {
    fill(more, check(line), h("p", { class: "none" }, error.message));
  }
}

function check(line) {
  const by = { person: " (your own check, which judges from when you wrote it on)", model: " (as a model reads it)" }[line.by] ?? "";
  const head = { tested: "Understood as", not_trusted: "Understood as", not_testable: "Not testable" }[line.state];
  return [
    h("p", { class: "why" }, h("b", null, `${head}: `), withCode(line.understood), by),
    line.not_trusted ? h("p", { class: "reword" }, h("b", null, "Not trusted: "), withCode(line.not_trusted)) : null,
    line.reword ? h("p", { class: "reword" }, h("b", null, "Reword: "), withCode(line.reword)) : null,
    line.trial ? h("p", { class: "why" }, h("b", null, "Its last edit: "), line.trial) : null,
  ];
}

function evidence(found, trajectory, word) {
  const pieces = found.fragments.filter((piece) => piece.trajectory === trajectory);
  if (!pieces.length) return null;
  const head = word === "said" ? "What it rests on" : `${word} in ${count(pieces.length, "turn")}`;
  return [h("h3", { class: word }, head), h("ul", null, pieces.map((piece) => h("li", null,
    h("div", { class: "place" }, h("time", { datetime: piece.ts, title: moment(piece.ts) }, day(piece.ts)), " ",
      h("span", { title: `${piece.session_key ?? ""} ${piece.event_id}` }, short(piece.session_key)), " ", h("i", null, withCode(piece.note))),
    h("blockquote", null, piece.quote))))];
}

function history(edits, report, tools) {
  return h("section", { class: "said", "aria-labelledby": "edits-title" },
    h("h2", { id: "edits-title" }, "Edits of the memory", report.unseen_edits ? [h("b", { class: "badge" }, `${report.unseen_edits} new`), button("I have seen them", () => tools.doing(null, () => act("/edits/seen")), { class: "small", id: "edits-seen" })] : null),
    h("p", { class: "soft" }, "Each one is an experiment: how its line fares before and after is compared, and what is clearly worse is taken back by itself."),
    h("ul", { class: "edits" }, edits.map((edit) => editItem(edit, tools))));
}

const CAUSES = { evidence: "the evidence asked for it", task: "a task asked for it", accepted: "you accepted it", reverted: "taken back by you", probation: "taken back: it did worse", forgotten: "forgotten", person: "you wrote it" };

function editItem(edit, tools) {
  const undo = tools && !edit.reverted && !edit.reverts && edit.cause !== "forgotten";
  return h("li", { class: edit.reverted ? "edit gone" : "edit", id: tools ? edit.id : null, "data-mark": JSON.stringify(edit) },
    h("div", { class: "place" }, h("time", { datetime: edit.ts }, moment(edit.ts)), " ", CAUSES[edit.cause] ?? edit.cause, edit.reverted ? ", taken back since" : ""),
    edit.changes.map((change) => [
      h("div", { class: "diff" }, change.before ? h("del", null, withCode(bare(change.before))) : null, change.after ? h("ins", null, withCode(bare(change.after))) : null),
      h("p", { class: "why" }, change.why, ` (${count(change.evidence.length, "piece")} of evidence)`),
    ]),
    edit.probation.map(effect),
    undo ? careful("Take it back", "Really take it back?", () => tools.doing("The edit is taken back.", () => act(`/edits/${part(edit.id)}/revert`)), { class: "small", id: `revert-${edit.id}`, "aria-label": `Take back the edit of ${moment(edit.ts)}` }) : null);
}

function effect(trial) {
  const share = (rate) => [["followed", rate.followed], ["missed", rate.missed]];
  const words = (rate) => (rate.followed + rate.missed ? `${rate.followed} of ${rate.followed + rate.missed} followed` : "no occasion yet");
  return h("dl", { class: "effect" }, h("dt", null, "before"), h("dd", null, bar(share(trial.before), "bar", words(trial.before)), words(trial.before)),
    h("dt", null, "since"), h("dd", null, bar(share(trial.after), "bar", words(trial.after)), words(trial.after)));
}
