//! Redaction: secrets are replaced by `[REDACTED:<rule>]` before a text is stored or shown.
//!
//! # How a text goes through
//!
//! 1. `redactor` looks at it in rounds, each of which is `scan::find`, until nothing more is found: what was hidden may uncover
//!    something.
//! 2. `scan` reads the text once, looking for **anchors** (`anchors`): short texts that every secret of some sort holds or stands beside.
//!    Each anchor belongs to one rule, which looks at a bounded part of the text around it:
//!    - *by form*, first and best: `shape` with the tables in `tokens`, `jwt`, `pem`, `listed`;
//!    - *by name*: an anchor in a telling name goes to `ask_name`, see below;
//!    - *by place*: `url`, `header`, `command`, `flags`, `stores`, `lines`, `calls`, `argv`, `login`, `typed`, `spoken`, `announced`,
//!      `wallet`, `kubernetes`, `insert`, `made`; and `encoded`, which looks into base64.
//! 3. When the text has been read, `finish` asks what needs the whole of it: `context` (beside the name of a service or the id of a
//!    key), `armour` and
//!    `torn` (keys of which an end is missing), and the loose ends: secrets of several lines that go on behind a margin.
//! 4. The same rules read **views** (`view`): the text without margins (`margin`), columns (`columns`), frames (`frame`), records of logs (`records`), escapes and
//!    disguise (`disguise`), and the bytes that a `dump` lists. What is found there is hidden in the text itself.
//! 5. JSON in the text is read as a `tree` by `printed`, and judged as a value is.
//!
//! A JSON value (`value`) is read as a `tree` as well: `members` goes by keys, names beside values and heads of tables, `spread` puts
//! together what stands in several strings. Then each string goes through as a text. `answer` knows more: what a tool was asked for.
//!
//! # How a name finds its value
//!
//! | how the two are written | where |
//! |---|---|
//! | the name is the head of a column: CSV, Markdown, boxes, blanks, pages, `COPY`; a cookie jar | `table` |
//! | a list of names, and lists of values in the same order: `INSERT` | `insert` |
//! | the value stands before: `… # password`, `"…" as password` | `behind` |
//! | the name is a value itself: `name: X` and `value: …`, `<name>`, a field of a form | `pair` |
//! | `Authorization` and `Cookie` | `header` |
//! | name, sign, value: settings, programs, flags | `assignment`; the sign is read by `operator`, the value by `extent`, quotes by `quote` |
//! | the value is taken where the named setting has none: `process.env.X || "…"`, `getenv("X", "…")` | `fallback` |
//! | only a blank between them: sentences, lines of network devices | `prose` |
//!
//! `name_at` finds the whole name, `names` says what it announces, and `judge` whether the value is a secret: how the two are joined (`Join`) says how much
//! the value has to prove; `chosen` asks once more about values that look like names, where settings and flags are. `placeholder` knows what is none, `random` what was drawn or chosen, `vocabulary` the words they go by.
//!
//! # Where a new rule goes
//!
//! - A token with a prefix: a line in `tokens`. A flag of a program: a line in `commands`. An argument of a function: a line in `calls`.
//!   A login in one word: a line in `login`. A word: a line in `vocabulary`.
//! - Another sign, quote or bracket between a name and its value: `operator`, `quote`, `extent`. Not a new rule.
//! - Another way to write names and values: the file of the table above whose structure it is.
//! - Something else: a file with a `find` that takes the anchor, an entry in `rules` and an arm in `Scan::ask`.
//!
//! Each with a line in `tests/formats.rs` (or the corpus of its sort), lines that look alike in `tests/corpus/ordinary.txt`, and what
//! would make it slow in `hostile`.
//!
//! # What holds
//!
//! - The time is linear in the text, whatever the text is: rules look at a bounded part, or at a longer one that they then remove or
//!   never read again; `work` counts it and `linear` checks it.
//! - A text that was redacted stays as it is when it is redacted again.
//! - Spans that overlap are joined: a doubt about where a secret ends is settled by hiding more.
//! - Not promised: that every secret is found. One without a form, a name or a place of its own cannot be
//!   told from other text. Where a reading as ordinary text is as likely, the text stays: `chosen` and `judge::is_pass_phrase` say which
//!   words, and `tests/matrix.rs` counts what is found in every way to show a text.

mod anchors;
mod announced;
mod answer;
mod argv;
mod armour;
mod assignment;
mod base64;
mod behind;
mod calls;
mod chars;
mod chosen;
mod columns;
mod command;
mod commands;
mod context;
mod crowd;
mod cut;
mod disguise;
mod dump;
mod encoded;
mod extent;
mod fallback;
mod flags;
mod frame;
mod header;
mod hostile;
mod insert;
mod judge;
mod jwt;
mod kubernetes;
#[cfg(test)]
mod linear;
mod lines;
mod listed;
mod login;
mod loose_ends;
mod made;
mod margin;
mod members;
mod name_at;
mod names;
mod operator;
mod pair;
mod pem;
mod placeholder;
mod printed;
mod prints;
mod prose;
mod quote;
mod random;
mod reach;
mod records;
mod redactor;
mod rules;
mod scan;
mod shape;
mod span;
mod spoken;
mod spread;
mod stores;
mod table;
mod tokens;
mod torn;
mod tree;
mod typed;
mod url;
mod value;
mod vendors;
mod view;
mod vocabulary;
mod wallet;
mod words;
mod work;
mod wrap;

pub use answer::Asked;
#[doc(hidden)]
pub use hostile::units as hostile_units;
pub use redactor::Redactor;
pub use tokens::RUN_TOKEN_PREFIX;
