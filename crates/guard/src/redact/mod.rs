//! Redaction: secrets are replaced by `[REDACTED:<rule>]` before a text is stored or shown.
//!
//! | how a secret is found | where |
//! |---|---|
//! | by its own form: prefix, alphabet, length | `shape`, `tokens`, `jwt`, `pem`, `armour`, `torn`, `context` |
//! | by the name it stands under | `assignment`, `prose`, `pair`, `markup`, `table`, `insert`; `names` reads names, `judge` decides |
//! | by the place where it stands | `url`, `header`, `command`, `flags`, `stores`, `calls`, `typed`, `login`, `spoken`, `announced`, `wallet`, `lines`, `kubernetes` |
//! | by the structure of a value, also of JSON in a text | `tree`, `printed`; `members`, `spread` |
//! | because a tool was asked for it: the file of a key, a command that prints secrets | `answer` |
//! | inside base64, in a listing of bytes | `encoded`, `dump`, `listed` |
//! | behind line numbers and other margins, in columns, in escapes, in disguise | `margin`, `frame`, `columns`, `disguise`, as a `view` that the same rules read |
//!
//! A text is read once, looking for anchors (`anchors`, `scan`). Rules are data and functions, not
//! patterns to be compiled, and look at a bounded part of the text around their anchor, or at a longer one
//! that they then remove. Where a secret of several lines is not whole, the lines around it are read once more
//! as a view. So the time is linear in the text, whatever the text is; `linear` counts it.
//!
//! - A text that was redacted stays as it is when it is redacted again.
//! - Spans that overlap are joined: a doubt about where a secret ends is settled by hiding more.
//! - Not promised: that every secret is found. One without a form, a name or a place of its own cannot be
//!   told from other text.

mod anchors;
mod announced;
mod answer;
mod armour;
mod assignment;
mod base64;
mod behind;
mod calls;
mod chars;
mod columns;
mod command;
mod context;
mod crowd;
mod cut;
mod disguise;
mod dump;
mod encoded;
mod extent;
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
mod margin;
mod members;
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
mod redactor;
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
