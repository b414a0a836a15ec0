//! What people say about how the agent works: corrections, preferences, standing instructions, told apart from tasks,
//! questions, bug reports and pasted text.

mod alone;
mod echo;
mod hear;
mod markers;
mod message;
mod near;
mod reasons;
mod side;
mod speech;
mod subject;
mod tie;
mod wish;

pub use alone::stands_alone;
pub use echo::{Others, stood_alone_in, stood_in, words_of_others, words_repeated};
pub use hear::{Kind, Signal, Stance, hear, line_meant};
pub(crate) use hear::{Opening, Remark, Words};
pub(crate) use markers::is_of_the_moment;
pub use message::{speech, whole_sentences};
pub use near::{Nearness, Sought};
pub use reasons::{ASKED, Besides, ENTERS, Reason, Weighed, weigh};
pub(crate) use side::Sides;
pub use side::{line_side, says_already};
pub use speech::is_typed;
pub use subject::subjects_in;
pub(crate) use tie::Ties;
pub use wish::best_wish;
