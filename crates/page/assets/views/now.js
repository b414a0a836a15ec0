// What the daemon is doing, and the switches that stop it.

import { button, h } from "../dom.js";
import { act, look } from "../server.js";
import { clock, due, lasting, outcome, state } from "../words.js";

export const title = "Now";
export const changes = ["now", "runs"];

export async function load() {
  const status = await look("/now");
  // The moment of the question is no news.
  const { at, ...news } = status;
  return news;
}

export function draw(status, tools) {
  const home = status.switches.find((one) => one.partition === null);
  return [
    h("h1", null, "What the daemon is doing"),
    h("p", { class: "lead" }, `Tick ${status.tick}`, status.next_tick_at ? `; the next at ${clock(status.next_tick_at)}, then every ${lasting(status.interval_ms)}.` : "."),
    status.trouble ? h("p", { class: "alarm" }, h("b", null, "It waits: "), status.trouble) : null,
    switchOf(home, tools),
    running(status.running),
    h("div", { class: "scroll" }, h("table", { class: "partitions" },
      h("thead", null, h("tr", null, ["Partition", "State", "Next run", "Last run", "Inbox", ""].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", null, status.partitions.map((partition) => row(partition, status, tools))))),
    status.follows?.length ? h("p", { class: "soft" }, `Follows ${status.follows.map((one) => `${one.files} transcripts of ${one.agent}${one.last_event_at ? `, news at ${clock(one.last_event_at)}` : ""}`).join("; ")}.`) : null,
  ];
}

function switchOf(set, tools) {
  if (set) {
    return h("div", { class: "switch on", id: "switch-on", "data-mark": set.why }, h("p", null, h("b", null, "Everything is paused."), set.why ? ` ${set.why}` : ""),
      button("Resume everything", () => tools.doing("Resumed.", () => act("/resume")), { class: "main", id: "resume-all" }));
  }
  const why = h("input", { type: "text", id: "pause-why", placeholder: "why, for whoever finds it", maxlength: 500, "aria-label": "Why everything is paused" });
  return h("div", { class: "switch", id: "switch-off", "data-mark": "off" }, h("p", null, "The kill switch ends what runs within a second and lets nothing start."), why,
    button("Pause everything", () => tools.doing("Everything is paused.", async () => { await act("/pause", { why: why.value }); why.value = ""; }), { id: "pause-all" }));
}

function running(runs) {
  if (!runs.length) return null;
  return h("ul", { class: "running", "aria-label": "Running now" }, runs.map((run) => h("li", null, h("a", { href: `#/runs/${encodeURIComponent(run.run_id)}` }, run.partition), ` has been at work since ${run.started_at ? clock(run.started_at) : "a moment ago"}`)));
}

function row(partition, status, tools) {
  const own = status.switches.find((one) => one.partition === partition.name);
  const [word, meaning] = state(partition.state);
  const [last, kind] = partition.last_outcome ? outcome(partition.last_outcome) : ["never ran", "fair"];
  const stuck = status.stuck?.filter((task) => task.partition === partition.name) ?? [];
  return h("tr", { id: `partition-${partition.name}` },
    h("th", { scope: "row" }, partition.name, h("small", null, partition.engine ?? "")),
    h("td", null, h("span", { class: `state ${partition.state}` }, word), h("small", null, own?.why || partition.problem || meaning)),
    h("td", null, partition.cooldown_ticks === null && partition.state === "scheduled" ? "by its calendar" : due(partition, status)),
    h("td", null, h("span", { class: `outcome ${kind}` }, last), partition.last_run_tick !== null ? h("small", null, `tick ${partition.last_run_tick}`) : null),
    h("td", null, partition.inbox.pending ? `${partition.inbox.pending} waiting` : "inbox empty", partition.inbox.held ? h("small", { class: "bad" }, `${partition.inbox.held} held: ${stuck[0]?.reason ?? "see its inbox"}`) : null),
    h("td", null, own
      ? button("Resume", () => tools.doing(`${partition.name} goes on.`, () => act("/resume", { partition: partition.name })), { class: "small", id: `resume-${partition.name}`, "aria-label": `Resume ${partition.name}` })
      : button("Pause", () => tools.doing(`${partition.name} is paused.`, () => act("/pause", { partition: partition.name, why: "from the page" })), { class: "small", id: `pause-${partition.name}`, "aria-label": `Pause ${partition.name}` })));
}
