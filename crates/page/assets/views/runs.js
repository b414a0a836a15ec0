// What ran, and what came of it.

import { lanes } from "../charts.js";
import { h } from "../dom.js";
import { look, part } from "../server.js";
import { clock, count, day, ended, lasting, moment, usd } from "../words.js";

export const title = "Runs";
export const changes = ["runs", "now"];

export async function load(place) {
  if (place) return { run: await look(`/runs/${part(place)}`) };
  const [{ runs }, status] = await Promise.all([look("/runs", { limit: 200 }), look("/now")]);
  // A run has no record before it ends.
  const going = status.partitions.filter((partition) => partition.running).map((partition) => ({ partition: partition.name, outcome: "", took_ms: null, ended_at: null, is_going: true, ...partition.running }));
  return { runs: [...going, ...runs] };
}

export function draw(data, tools, place) {
  return place ? one(data.run) : all(data.runs);
}

function all(runs) {
  if (!runs.length) return [h("h1", null, "What ran"), h("p", { class: "empty" }, "Nothing has run yet.")];
  const days = Map.groupBy ? Map.groupBy(runs, (run) => day(run.started_at)) : grouped(runs);
  const longest = Math.max(...runs.map((run) => run.took_ms ?? 0), 1);
  return [
    h("h1", null, "What ran"),
    h("p", { class: "lead" }, "Each run of a partition, when it began, how long it took, and what came of it. Open one for its tasks and its output."),
    lanes(runs),
    [...days].map(([name, ofDay]) => [h("h2", null, name), h("ul", { class: "runs" }, ofDay.map((run) => item(run, longest)))]),
  ];
}

function grouped(runs) {
  const days = new Map();
  for (const run of runs) days.set(day(run.started_at), [...(days.get(day(run.started_at)) ?? []), run]);
  return days;
}

function item(run, longest) {
  const [word, kind, said] = ended(run);
  const width = run.took_ms === null ? 0 : Math.max(1, (100 * Math.log1p(run.took_ms)) / Math.log1p(longest));
  const link = { href: `#/runs/${part(run.run_id)}`, "aria-label": `${run.partition} at ${clock(run.started_at)}` };
  return h("li", { class: kind }, h(run.is_going ? "div" : "a", run.is_going ? { class: "going" } : link,
    h("time", { datetime: run.started_at }, clock(run.started_at)), h("b", null, run.partition),
    h("span", { class: `outcome ${kind}` }, word),
    h("span", { class: "took" }, h("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, h("rect", { class: kind, width: width.toFixed(1), height: 4, rx: 1 })), lasting(run.took_ms)),
    h("span", { class: "said-so" }, said)));
}

function one(run) {
  const [word, kind] = ended(run);
  const fact = (name, value) => (value === null || value === undefined || value === "" ? null : [h("dt", null, name), h("dd", null, value)]);
  return [
    h("p", null, h("a", { href: "#/runs" }, "‹ all runs")),
    h("h1", null, run.partition, " ", h("span", { class: `outcome ${kind}` }, word)),
    h("dl", { class: "facts" }, fact("Run", run.run_id), fact("Started", run.started_at ? moment(run.started_at) : ""), fact("Took", lasting(run.took_ms)), fact("Mode", run.mode), fact("Engine", run.engine),
      fact("Tick", run.tick), fact("Tokens", run.tokens ? count(run.tokens, "token") : ""), fact("Cost", run.cost_usd ? usd(run.cost_usd) : ""), fact("Result", run.result), fact("Reason", run.reason)),
    run.tasks.length ? [h("h2", null, count(run.tasks.length, "task")), h("ul", { class: "tasks" }, run.tasks.map(task))] : null,
    run.evidence.length ? [h("h2", null, "Evidence"), h("ul", null, run.evidence.map((piece) => h("li", null, h("code", null, piece.line), ` ${piece.new} new, ${piece.total} in all`)))] : null,
    run.changed.length ? [h("h2", null, "Changed files"), h("ul", null, run.changed.map((path) => h("li", null, h("code", null, path))))] : null,
    run.output ? [h("h2", null, "Output"), h("pre", { tabindex: 0 }, run.output)] : null,
    run.errors ? [h("h2", null, "Errors"), h("pre", { tabindex: 0 }, run.errors)] : null,
  ];
}

function task(one) {
  return h("li", null, h("b", null, one.name), h("span", { class: `outcome ${one.acked ? "good" : "fair"}` }, one.acked ? "finished" : "kept"), h("p", { class: "why" }, one.result ?? one.reason ?? ""),
    one.body ? h("details", { id: `body-${one.key}` }, h("summary", null, "What was asked"), h("pre", { tabindex: 0 }, one.body)) : null);
}
