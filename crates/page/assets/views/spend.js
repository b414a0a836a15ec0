// What models cost.

import { columns } from "../charts.js";
import { h } from "../dom.js";
import { look } from "../server.js";
import { count, usd } from "../words.js";

export const title = "Cost";
export const changes = ["spend"];

export const load = () => look("/spend", { days: 14 });

/** How many partitions have a colour of their own. */
const COLOURS = 6;

export function draw({ today, days }) {
  const names = [...new Set(days.flatMap((day) => Object.keys(day.partitions)))].sort();
  const colour = (name) => `series-${names.indexOf(name) % COLOURS}`;
  const sum = (day, field) => Object.values(day.partitions).reduce((all, one) => all + one[field], 0);
  const money = days.some((day) => sum(day, "usd") > 0);
  const drawn = days.map((day) => ({
    title: `${day.day}: ${usd(sum(day, "usd"))}, ${count(sum(day, "tokens"), "token")}`,
    parts: names.map((name) => [colour(name), day.partitions[name]?.[money ? "usd" : "tokens"] ?? 0]),
  }));
  const most = (field) => Math.max(...days.map((day) => sum(day, field)));
  const total = (field) => days.reduce((all, day) => all + sum(day, field), 0);
  return [
    h("h1", null, "What it costs"),
    h("p", { class: "lead" }, "Only partitions that ask a model cost anything. Amounts are what your prices say, or what the agent's own program says."),
    h("div", { class: "sums" },
      figure(usd(today.today.usd), "today", today.cap_usd_per_day === null ? "no daily limit is set" : `of ${usd(today.cap_usd_per_day)} a day`),
      figure(usd(total("usd")), `in ${days.length} days`, count(total("tokens"), "token")),
      today.today.unpriced ? figure(String(today.today.unpriced), "questions without a price", "set budget.prices in the settings") : null),
    names.length ? [columns(drawn, `${money ? "US dollars" : "Tokens"} by day`), scale(days, money ? usd(most("usd")) : count(most("tokens"), "token")), legend(names, colour), table(days, names)]
      : h("p", { class: "empty" }, "No model was asked in these days. Everything was read, tested and counted by code, at no cost."),
  ];
}

const figure = (amount, words, more) => h("div", { class: "figure" }, h("strong", null, amount), h("span", null, words), h("small", null, more));
const scale = (days, most) => h("div", { class: "scale" }, h("span", null, days[0].day), h("span", null, `the highest day: ${most}`), h("span", null, days.at(-1).day));
const legend = (names, colour) => h("ul", { class: "legend" }, names.map((name) => h("li", null, h("svg", { viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" }, h("rect", { class: colour(name), width: 10, height: 10, rx: 2 })), name)));

function table(days, names) {
  const cell = (sum) => (sum ? [usd(sum.usd), h("small", null, count(sum.tokens, "token"))] : "");
  const rows = days.filter((day) => Object.keys(day.partitions).length).reverse();
  return h("div", { class: "scroll" }, h("table", { class: "numbers" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Day"), names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, rows.map((day) => h("tr", null, h("th", { scope: "row" }, day.day), names.map((name) => h("td", null, cell(day.partitions[name]))))))));
}
