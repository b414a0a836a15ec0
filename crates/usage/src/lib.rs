//! What models cost: prices, budgets, and the account that is kept of it.
//!
//! # `var/usage/<yyyy-mm-dd>.jsonl`
//!
//! One line for each question that a model was asked, by UTC days:
//!
//! ```json
//! {"ts":"2026-11-16T09:37:00.123Z","partition":"notes","run_id":"20261116T093700-3","purpose":"step",
//!  "model":"some-model","input":812,"output":64,"cache_read":0,"cache_write":0,"usd":0.0034}
//! ```
//!
//! - `usd` is `null` where the model has no price. Files older than [`KEPT_DAYS`] days are removed.
//! - A line that cannot be read (a torn one, a person's edit) is left out of the sums; [`Day::unreadable`] counts them.
//!
//! # How a budget holds
//!
//! Before a question is asked, the most that it can cost is set aside: its own length, and the longest answer. If that
//! does not fit into what is left of the run's tokens, of the partition's day or of everybody's day, it is not asked. So
//! runs that ask at the same time cannot overdraw together, and what is spent can pass a limit only by what a model
//! uses beyond what it was allowed to. A question that was given up half-way (a deadline, a kill switch) is entered with
//! what it was estimated at. What a killed daemon had asked is lost: that is one question for each run at that time.

mod account;
mod files;
mod metered;
mod price;
mod purse;

pub use account::{Account, Caps, Spend, Sum};
pub use files::{Day, Entry, KEPT_DAYS, UsageError, prune, read_day};
pub use metered::Metered;
pub use price::{Prices, TOKENS_A_PRICE_IS_FOR};
pub use purse::Purse;
pub use subcortex_config::Price;
