// What the daemon is doing, and the switches that stop it.

import { button, h, withCode } from "../dom.js";
import { act, look } from "../server.js";
import { clock, count, due, every, lasting, lately, moment, outcome, purpose, state, usd } from "../words.js";

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
    h("p", { class: "lead" }, `It looks for work ${every(status.interval_ms)} (a tick)`, status.next_tick_at ? `, next at ${clock(status.next_tick_at)}, and when something happens. ` : ". ", "Its workers are called partitions: folders with a schedule and an inbox."),
    status.trouble ? h("p", { class: "alarm" }, h("b", null, "It waits: "), status.trouble) : null,
    switchOf(home, tools),
    running(status.partitions.filter((partition) => partition.running)),
    h("div", { class: "scroll" }, h("table", { class: "partitions" },
      h("thead", null, h("tr", null, ["Partition", "State", "Next run", "Last run", "Inbox", ""].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", null, status.partitions.map((partition) => row(partition, status, tools))))),
    status.loops?.length ? loops(status.loops) : null,
    status.fleet ? fleet(status.fleet) : null,
    status.follows?.length ? h("p", { class: "soft" }, `Follows ${status.follows.map((one) => `${count(one.files, "transcript")} of ${one.agent}${one.last_event_at ? `, news at ${clock(one.last_event_at)}` : ""}`).join("; ")}.`) : null,
  ];
}

function switchOf(set, tools) {
  if (set) {
    return h("div", { class: "switch on", id: "switch-on", "data-mark": set.why }, h("p", null, h("b", null, "Everything is paused."), set.why ? ` ${set.why}` : ""),
      button("Resume everything", () => tools.doing("Resumed.", () => act("/resume")), { class: "main", id: "resume-all" }));
  }
  const why = h("input", { type: "text", id: "pause-why", placeholder: "why, for whoever finds it", maxlength: 500, "aria-label": "Why everything is paused" });
  return h("div", { class: "switch", id: "switch-off", "data-mark": "off" }, h("p", null, "Pausing ends what runs within a second and lets nothing start until you resume."), why,
    button("Pause everything", () => tools.doing("Everything is paused.", async () => { await act("/pause", { why: why.value }); why.value = ""; }), { id: "pause-all" }));
}

function running(partitions) {
  if (!partitions.length) return null;
  const more = ({ task, tasks_ahead: ahead }) => (task ? ` on ${task}${ahead > 1 ? `, and ${count(ahead - 1, "more task")} after that` : ""}` : "");
  return h("ul", { class: "running", "aria-label": "Running now" }, partitions.map((partition) => h("li", null, h("b", null, partition.name),
    ` has been at work since ${clock(partition.running.started_at)}${more(partition.running)}`)));
}

function row(partition, status, tools) {
  const own = status.switches.find((one) => one.partition === partition.name);
  const [word, meaning] = state(partition);
  const [last, kind] = partition.last_outcome ? outcome(partition.last_outcome) : ["never ran", "still"];
  const stuck = status.stuck?.filter((task) => task.partition === partition.name) ?? [];
  return h("tr", { id: `partition-${partition.name}` },
    h("th", { scope: "row" }, partition.name, h("small", null, purpose(partition))),
    h("td", null, h("span", { class: `state ${partition.state}` }, word), h("small", null, withCode(own?.why || partition.problem || meaning))),
    h("td", null, partition.cooldown_ticks === null && partition.state === "scheduled" ? "by its calendar" : due(partition, status)),
    h("td", null, h("span", { class: `outcome ${kind}` }, last), partition.last_run_at ? h("small", null, lately(partition.last_run_at)) : null),
    h("td", null, partition.inbox.pending ? `${partition.inbox.pending} waiting` : "empty", partition.inbox.held ? h("small", { class: "bad" }, h("a", { href: "#/inboxes" }, `${partition.inbox.held} held`), `: ${stuck[0]?.reason ?? "failed too often"}`) : null),
    h("td", null, own
      ? button("Resume", () => tools.doing(`${partition.name} goes on.`, () => act("/resume", { partition: partition.name })), { class: "small", id: `resume-${partition.name}`, "aria-label": `Resume ${partition.name}` })
      : button("Pause", () => tools.doing(`${partition.name} is paused.`, () => act("/pause", { partition: partition.name, why: "from the page" })), { class: "small", id: `pause-${partition.name}`, "aria-label": `Pause ${partition.name}` })));
}

/** Loops: scheduled work in somebody's repository. */
function loops(all) {
  const row = (one) => h("tr", null, h("th", { scope: "row" }, one.name, h("small", null, one.root)),
    h("td", null, h("span", { class: `state ${{ down: "paused", broken: "unusable" }[one.state] ?? one.state}` }, one.state), one.problem || one.held ? h("small", null, one.problem ?? one.held) : null),
    h("td", null, one.next ? moment(one.next) : ""), h("td", null, one.last_outcome ?? "never ran", one.last_run ? h("small", null, moment(one.last_run)) : null),
    h("td", null, usd(one.usd_today), h("small", null, count(one.tokens_today, "token"))));
  return [h("h2", null, "Loops"), h("p", { class: "soft" }, "Scheduled work in your repositories."), h("div", { class: "scroll" }, h("table", null,
    h("thead", null, h("tr", null, ["Loop", "State", "Next run", "Last run", "Cost today"].map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, all.map(row))))];
}

/** The machines that share inboxes with this one. */
function fleet({ server, trouble, machines, inboxes }) {
  return [h("h2", null, "Fleet"), h("p", { class: "soft" }, `Machines that share inboxes through ${server}.`), trouble ? h("p", { class: "alarm" }, trouble) : null,
    h("ul", { class: "plain" }, machines.map((one) => h("li", null, h("b", null, one.name || one.id), one.here ? ", this machine" : `, heard ${lasting(one.heard_ms_ago)} ago`, `, has ${count(one.tasks, "task")}`)),
      inboxes.map((one) => h("li", null, h("b", null, one.partition), `: ${one.waiting} waiting, ${one.taken} taken`)))];
}
