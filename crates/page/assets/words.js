// How times, amounts and states are said.

/** "3 lines", "1 line". */
export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** A length of time, from milliseconds. */
export function lasting(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.floor(seconds % 60);
  if (minutes < 60) return `${minutes} min${minutes < 10 && rest ? ` ${rest} s` : ""}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return count(Math.floor(hours / 24), "day");
}

const two = (n) => String(n).padStart(2, "0");

/** The moment on this person's clock. */
export function moment(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(time)}`;
}

/** The time of day on this person's clock. */
export function clock(time) {
  const date = new Date(time);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The moment, without the day if that is today. */
export function lately(time) {
  return day(time) === day(Date.now()) ? clock(time) : moment(time);
}

/** The day on this person's clock. */
export function day(time) {
  return moment(time).slice(0, 10);
}

/** How often something happens. */
export function every(ms) {
  return { 1_000: "every second", 60_000: "every minute", 3_600_000: "every hour" }[ms] ?? `every ${lasting(ms)}`;
}

/** Money, with as many digits as it takes to see it. */
export function usd(amount) {
  if (!amount) return "$0.00";
  return amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

/** A rule without the mark of its list. */
export function bare(text) {
  return text.trim().replace(/^[-*+•]\s+/, "");
}

/** Enough of a name to tell it from others. */
export function short(name) {
  return name ? [...name].slice(0, 8).join("") : "";
}

const STATES = {
  running: ["Running", "at work now"],
  due: ["Due", "starts in a moment"],
  cooling: ["Resting", "rests after its last run"],
  scheduled: ["Scheduled", "waits for its time"],
  nothing_to_do: ["Idle", "nothing to do"],
  paused: ["Paused", "a kill switch is set"],
  backing_off: ["Backing off", "rests longer after failures"],
  disabled: ["Switched off", "`enabled: false` in its definition"],
  unusable: ["Broken", "its definition cannot be used"],
  stopping: ["Stopping", "the daemon stops"],
  catching_up: ["Catching up", "the daemon or the machine slept; its turn comes"],
  waiting_for_slot: ["Waiting", "others run, as many as may at once"],
};

/** Whether it only rests because there is nothing for it to do; `status` says the same of it. */
function isIdle({ state, next_run_at, inbox }) {
  return state === "nothing_to_do" || (state === "cooling" && !next_run_at && !inbox?.pending);
}

/** How a partition stands: a word, and what it means. */
export function state(partition) {
  const word = isIdle(partition) ? "nothing_to_do" : partition.state;
  return STATES[word] ?? [word, ""];
}

/** When a partition is due, in words. */
export function due(partition, schedule) {
  if (partition.backoff_until) return `tries again at ${clock(partition.backoff_until)}`;
  if (partition.next_due_tick === null || partition.next_due_tick === undefined) return "";
  const ticks = partition.next_due_tick - schedule.tick;
  if (partition.state === "running") return "";
  if (isIdle(partition)) return "as soon as there is work";
  if (ticks <= 0) return "at the next tick";
  const at = schedule.next_tick_at ? Date.parse(schedule.next_tick_at) + (ticks - 1) * schedule.interval_ms : null;
  return at ? `${ticks === 1 ? "" : "about "}${clock(at)}` : `tick ${partition.next_due_tick}`;
}

const OUTCOMES = {
  terminal: ["Done", "good"],
  partial: ["Partly done", "fair"],
  timeout: ["Timed out", "bad"],
  error: ["Failed", "bad"],
  invalid_output: ["No result", "bad"],
  paused: ["Paused", "fair"],
  refused: ["Refused", "bad"],
  unreadable: ["Unreadable", "bad"],
  "": ["Running", "busy"],
};

/** What a run came to: a word, and how good that is. */
export function outcome(word) {
  return OUTCOMES[word ?? ""] ?? [word, "fair"];
}

/** The words by which a run ends its work, and what they mean. */
const ENDS = { UPDATED: "Done", BOOTSTRAPPED: "Set up", "NO-OP": "Nothing to do", NO_NEW_GRADIENT: "Nothing new" };

/** What became of a run: a word, how good that is, and the rest of what it said. */
export function ended(run) {
  const [word, kind] = outcome(run.outcome);
  const [, end, rest] = /^([A-Z_-]+): *(.*)$/s.exec(run.result ?? "") ?? [];
  if (run.outcome === "terminal" && ENDS[end]) return [ENDS[end], kind, rest];
  return [word, kind, run.result ?? run.reason ?? (run.ended_at ? "" : "at work")];
}

const PURPOSES = {
  "memory-weaver": "tests every line of the memory, and edits it",
  "memory-committer": "keeps the memory in git",
  "cadence-executor": "hands tasks on, and looks the memory over",
  "pattern-tracker": "writes down lessons, and what got easier",
};

const ENGINES = { builtin: "part of subcortex", command: "a program of yours", api: "a model over HTTP" };

/** What a partition is for; of those that people made, what does its thinking. */
export function purpose(partition) {
  return PURPOSES[partition.name] ?? ENGINES[partition.engine] ?? partition.engine ?? "";
}
