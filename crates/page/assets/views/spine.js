// The log of events, as it grows.

import { button, h } from "../dom.js";
import { look } from "../server.js";
import { clock, day, moment, short } from "../words.js";

export const title = "Events";
export const changes = ["spine"];

/** How many events are kept on the page. */
const KEPT = 300;

let filter = { kind: "", type: "", session: "", text: "" };

export async function load(place, before) {
  const wanted = { ...filter };
  const isSame = before && JSON.stringify(before.filter) === JSON.stringify(wanted);
  if (isSame && before.cursor) {
    const news = await look("/spine", { ...wanted, after: before.cursor, limit: KEPT });
    const events = [...before.events, ...news.events].slice(-KEPT);
    return { filter: wanted, events, cursor: news.cursor ?? before.cursor };
  }
  return { filter: wanted, ...(await look("/spine", { ...wanted, limit: 150 })) };
}

export function draw({ events }, tools) {
  return [
    h("h1", null, "What happened"),
    h("p", { class: "lead" }, "The newest events of the log (the spine). Those with a green edge came from outside and can become evidence; what the daemon says of itself never does."),
    form(tools),
    events.length ? h("ol", { class: "events", "aria-label": "Events, newest first" }, [...events].reverse().map(item)) : h("p", { class: "empty" }, "No event fits."),
  ];
}

function form(tools) {
  const field = (name, words, width, example) => h("label", null, h("span", null, words), h("input", { type: "search", id: `filter-${name}`, size: width, value: filter[name], maxlength: 200, placeholder: example }));
  const fields = [field("kind", "From", 10, "claude"), field("type", "Type", 18, "channel.message"), field("session", "Session", 18, "its whole id"), field("text", "Text", 18, "any words")];
  const read = () => Object.fromEntries(Object.keys(filter).map((name) => [name, document.getElementById(`filter-${name}`).value.trim()]));
  const apply = () => { filter = read(); return tools.doing(null, async () => {}); };
  const shown = h("form", { class: "filter", "data-mark": JSON.stringify(filter) }, fields, button("Filter", apply, { id: "filter-apply" }));
  shown.addEventListener("submit", (event) => event.preventDefault());
  shown.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); apply(); } });
  return shown;
}

function item(event) {
  return h("li", { class: event.external ? "outside" : "inside", id: event.id },
    h("time", { datetime: event.ts, title: moment(event.ts) }, `${day(event.ts)} ${clock(event.ts)}`), h("b", null, event.type), h("span", { class: "soft" }, event.kind ?? "no kind", event.session ? [" · ", h("span", { title: event.session }, short(event.session))] : ""),
    h("span", { class: "words" }, event.text));
}
