// Edits that wait for a person's yes.

import { button, careful, h, withCode } from "../dom.js";
import { act, look, part } from "../server.js";
import { bare, count, moment, short } from "../words.js";

export const title = "Review";
export const changes = ["review"];

export const load = () => look("/review");

const KINDS = { add: "Add a line", rewrite: "Say it differently", remove: "Take a line out", move: "Move a line up" };

const SAYS = { the_opposite: "the opposite", much_the_same: "much the same" };

export function draw({ waiting, broken }, tools) {
  return [
    h("h1", null, "What waits for your yes"),
    waiting.length ? null : h("p", { class: "empty" }, "Nothing waits for you."),
    waiting.map((proposal) => card(proposal, tools)),
    broken.length ? [h("h2", null, "Files that are no proposals"), h("ul", null, broken.map(([path, why]) => h("li", null, h("code", null, path), ` ${why}`)))] : null,
  ];
}

function card(proposal, tools) {
  const words = proposal.words === null ? null
    : h("textarea", { id: `words-${proposal.id}`, rows: 2, maxlength: 400, "aria-label": "The words of the line" }, proposal.words);
  const send = () => {
    const edited = words && words.value.trim() !== proposal.words.trim();
    const body = edited ? { words: words.value.trim() } : {};
    return tools.doing("Accepted: the memory says so now.", () => act(`/review/${part(proposal.id)}/accept`, body));
  };
  return h("article", { class: "proposal", id: proposal.id, "data-mark": JSON.stringify(proposal) },
    h("h2", null, KINDS[proposal.kind], proposal.line ? h("span", { class: "soft" }, ` L${proposal.line}`) : null, proposal.project ? h("span", { class: "soft" }, ` in ${proposal.project}`) : null),
    proposal.before ? h("div", { class: "diff" }, h("del", null, bare(proposal.before))) : null,
    words ? h("label", { class: "words" }, h("span", null, "It would say"), words) : null,
    proposal.beside.map((line) => h("p", { class: `beside ${line.says}` }, h("b", null, `L${line.line} says ${SAYS[line.says]}: `), withCode(line.text))),
    // What decides stands at the words, however long the evidence is.
    h("div", { class: "actions" },
      button("Accept", send, { class: "main", id: `accept-${proposal.id}` }),
      careful("Reject", "Really drop it for good?", () => tools.doing("Rejected: it does not come back.", () => act(`/review/${part(proposal.id)}/reject`)), { id: `reject-${proposal.id}` })),
    h("p", { class: "why" }, withCode(proposal.why), ". ", h("b", null, "It waits because "), withCode(proposal.waits_because)),
    proposal.evidence.map((evidence) => heard(evidence, proposal.id)),
    proposal.more_evidence ? h("p", { class: "none" }, `… and ${count(proposal.more_evidence, "more piece")} of evidence`) : null);
}

const DEEDS = { asked: "You", said: "Agent", did: "Agent did", failed: "Failed" };

/** How many of the last deeds before a message are shown; the rest can be opened. */
const LAST_DEEDS = 3;

function heard(evidence, id) {
  const when = evidence.ts ? h("time", { datetime: evidence.ts }, moment(evidence.ts)) : null;
  const deeds = (evidence.before ?? []).map((deed) => h("li", { class: deed.what }, h("b", null, DEEDS[deed.what]), h("span", null, deed.text)));
  const earlier = deeds.splice(0, Math.max(0, deeds.length - LAST_DEEDS));
  return h("section", { class: "heard", "aria-label": "What was said" },
    h("div", { class: "place" }, when, " ", h("span", { title: evidence.event_id }, short(evidence.session)), " ", evidence.note ? h("i", null, withCode(withoutPoints(evidence.note))) : null),
    earlier.length ? h("details", { id: `${id}-${evidence.event_id}` }, h("summary", null, `${count(earlier.length, "step")} before that`), h("ol", { class: "talk" }, earlier)) : null,
    deeds.length ? h("ol", { class: "talk" }, deeds) : null,
    h("blockquote", { class: "person" }, evidence.message || evidence.quote || "The event is no longer in the log."));
}

/** How much each reason weighs says little to whoever did not weigh them. */
const withoutPoints = (note) => note.replace(/ \([+-]\d+\)/g, "");
