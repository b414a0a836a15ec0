// The tasks that wait, and a way to hand over another one.

import { button, fill, h, withCode } from "../dom.js";
import { act, look, part } from "../server.js";
import { count } from "../words.js";

export const title = "Inboxes";
export const changes = ["inboxes", "now"];

export async function load() {
  const [inboxes, status] = await Promise.all([look("/inboxes"), look("/now")]);
  return { ...inboxes, partitions: status.partitions.map((partition) => partition.name) };
}

const STATES = { pending: ["waiting", "fair"], held: ["held", "bad"], refused: ["refused", "bad"] };
/** The inbox that belongs to nobody. */
const SHARED = "inbox";

export function draw({ tasks, unlisted, partitions }, tools) {
  return [
    h("h1", null, "Tasks that wait"),
    h("p", { class: "lead" }, "A task is a file in the inbox of a partition. It leaves when a run has finished it; one that failed too often is held until you say so."),
    tasks.length ? h("ul", { class: "tasks" }, tasks.map((task) => item(task, tools))) : h("p", { class: "empty" }, "No task waits: every inbox is empty."),
    unlisted ? h("p", { class: "none" }, `… and ${count(unlisted, "more task")}`) : null,
    form(partitions, tools),
  ];
}

function item(task, tools) {
  const [word, kind] = STATES[task.state] ?? [task.state, "fair"];
  return h("li", { id: `task-${task.partition}-${task.name}`, "data-mark": JSON.stringify(task) }, h("b", null, task.name), " ", h("span", { class: "soft" }, task.partition === SHARED ? "in the shared inbox" : `for ${task.partition}`), h("span", { class: `outcome ${kind}` }, word),
    h("p", { class: "why" }, withCode(task.reason ?? "It is taken with the next run."), task.attempts ? ` (${count(task.attempts, "failed attempt")})` : ""),
    task.state === "refused" ? null : says(task),
    task.state === "held" && task.partition !== SHARED ? button("Try again", () => tools.doing(`${task.name} is tried again.`, () => act(`/inboxes/${part(task.partition)}/${part(task.name)}/retry`)), { class: "small", id: `retry-${task.partition}-${task.name}`, "aria-label": `Try ${task.name} again` }) : null);
}

/** What a task says, looked up when somebody wants to know. */
function says(task) {
  const text = h("pre", { tabindex: 0 });
  const details = h("details", { id: `says-${task.partition}-${task.name}` }, h("summary", null, "What it says"), text);
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    try { fill(text, (await look(`/inboxes/${part(task.partition)}/${part(task.name)}`)).text); } catch (error) { fill(text, error.message); }
  });
  return details;
}

function form(partitions, tools) {
  const who = h("select", { id: "task-partition" }, partitions.map((name) => h("option", { value: name }, name)));
  const name = h("input", { type: "text", id: "task-name", maxlength: 200, placeholder: "made up when left out" });
  const body = h("textarea", { id: "task-body", rows: 4, maxlength: 100000, placeholder: "What is to be done, in your own words" });
  const send = () => {
    if (!body.value.trim()) return tools.say("Say what is to be done.", "bad");
    return tools.doing("The task is handed over.", async () => {
      await act(`/inboxes/${part(who.value)}`, { ...(name.value.trim() ? { name: name.value.trim() } : {}), body: body.value });
      name.value = "";
      body.value = "";
    });
  };
  return h("section", { class: "form", id: "task-form", "aria-labelledby": "hand-over", "data-mark": partitions.join() }, h("h2", { id: "hand-over" }, "Hand over a task"),
    h("div", { class: "fields" }, h("label", null, h("span", null, "To"), who), h("label", null, h("span", null, "Name"), name)),
    h("label", null, h("span", null, "Task"), body), button("Hand it over", send, { class: "main", id: "task-send" }));
}
