// Small pictures. Each has a title in words, for whoever cannot see it.

import { h } from "./dom.js";
import { clock, lasting, moment, outcome } from "./words.js";

const size = (n) => n.toFixed(2);

/** A bar of parts, each a class and an amount. */
export function bar(parts, className, title) {
  const total = parts.reduce((sum, [, amount]) => sum + amount, 0) || 1;
  let at = 0;
  const rects = parts.map(([name, amount]) => {
    const rect = h("rect", { class: name, x: size(at), width: size((100 * amount) / total), height: 8 });
    at += (100 * amount) / total;
    return rect;
  });
  return h("svg", { class: className, viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": title }, rects);
}

/** Followed and missed by day: a column each. */
export function trend(days) {
  const most = Math.max(...days.map((day) => day.followed + day.missed));
  const [wide, high] = [8, 20];
  const columns = days.map((day, at) => {
    const [followed, missed] = [day.followed, day.missed].map((n) => (high * n) / most);
    return [
      h("rect", { class: "followed", x: at * wide, y: size(high - followed), width: wide - 2, height: size(followed) }),
      h("rect", { class: "missed", x: at * wide, y: size(high - followed - missed), width: wide - 2, height: size(missed) }),
    ];
  });
  const words = days.map((day) => `${day.day}: ${day.followed} followed, ${day.missed} missed`).join("; ");
  return h("svg", { class: "trend", viewBox: `0 0 ${days.length * wide - 2} ${high}`, width: days.length * wide, height: high, role: "img", "aria-label": `By day: ${words}` },
    h("title", null, words), columns);
}

/** Runs on a line of time, a lane for each partition. */
export function lanes(runs, now = Date.now()) {
  const dated = runs.filter((run) => run.started_at);
  if (!dated.length) return null;
  const [from, wide, high] = [Math.min(...dated.map((run) => Date.parse(run.started_at))), 1000, 18];
  const span = Math.max(now - from, 60_000);
  const names = [...new Set(dated.map((run) => run.partition))].sort();
  const lane = (name) => {
    const rects = dated.filter((run) => run.partition === name).map((run) => {
      const start = Date.parse(run.started_at);
      const end = run.ended_at ? Date.parse(run.ended_at) : now;
      const x = (wide * (start - from)) / span;
      const [word, kind] = outcome(run.outcome);
      const width = Math.max((wide * (end - start)) / span, 3);
      return h("rect", { class: kind, x: size(Math.min(x, wide - width)), y: 2, width: size(width), height: high - 4, rx: 1.5 },
        h("title", null, `${moment(run.started_at)}: ${word}, ${lasting(run.took_ms ?? end - start)}`));
    });
    return h("li", null, h("span", { class: "name" }, name),
      h("svg", { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name}: ${rects.length} runs` },
        h("line", { x1: 0, x2: wide, y1: high / 2, y2: high / 2 }), rects));
  };
  return h("div", { class: "lanes" }, h("ul", null, names.map(lane)),
    h("div", { class: "scale" }, h("span", null, moment(from)), h("span", null, `now, ${clock(now)}`)));
}

/** Amounts by day, a column each, with the parts by class. */
export function columns(days, label) {
  const most = Math.max(...days.map((day) => day.parts.reduce((sum, [, amount]) => sum + amount, 0)));
  if (!(most > 0)) return null;
  const [wide, high] = [34, 120];
  const drawn = days.map((day, at) => {
    let y = high;
    return day.parts.map(([name, amount]) => {
      const height = (high * amount) / most;
      y -= height;
      return h("rect", { class: name, x: at * wide, y: size(y), width: wide - 8, height: size(height), rx: 1 }, h("title", null, day.title));
    });
  });
  return h("svg", { class: "columns", viewBox: `0 0 ${days.length * wide - 8} ${high}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, drawn);
}
