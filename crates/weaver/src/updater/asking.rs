//! What people said to proposals that an agent put to them.
//!
//! A session-start hook may hand one proposal to the agent, as a question to the person. Only the person's own answer counts: the first
//! message that a person typed behind an answer of the agent that ends with the question as the hook worded it, the rule word for word. All of
//! the message has to be a plain yes; where the agent asked something else in the same breath it has to name the rule. An agent that says
//! yes itself, a tool that does, a yes to something else or to the opposite, a yes that is taken back in the next sentence: all of that
//! leaves the proposal as it was.

use std::ops::ControlFlow;
use std::sync::Arc;

use subcortex_checks::speech;
use subcortex_memory::{Asking, Edit, Forgotten, Proposal, Put, Said};
use subcortex_model::{Event, Gate, Standing, event_type};
use subcortex_spine::{Cursor, Day, Item, Reader};

use super::decide::{DecisionError, accept_because};
use crate::{BroadcastMode, WeaveError, Workshop};

/// Takes in what people said since; hands out the edits that follow from it.
pub fn take_answers(shop: &Workshop) -> Result<Vec<Edit>, WeaveError> {
    let (mut asking, read) = Asking::read(&*shop.disk, &shop.folder)?;
    let is_open = |put: &Put| put.answer.is_none();
    if shop.settings.mode == BroadcastMode::Observe || !asking.put.iter().any(is_open) {
        return Ok(Vec::new());
    }
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder)?.waiting;
    let forgotten = Forgotten::read(&*shop.disk, &shop.folder)?;
    let mut edits = Vec::new();
    let mut changed = false;
    for put in asking.put.iter_mut().filter(|put| put.answer.is_none()) {
        let Some(proposal) = waiting.iter().find(|proposal| proposal.id == put.proposal) else { continue };
        let Some(rule) = proposal.rule() else { continue };
        let Some(said) = answer_to(shop, put, rule, &forgotten)? else { continue };
        put.answer = Some(said);
        changed = true;
        if said == Said::Yes {
            let why = format!("a person said yes to it in session {}", put.session);
            match accept_because(shop, &proposal.id, None, Some(&why)) {
                Ok(edit) => edits.push(edit),
                // It waits on, and `review` says why it cannot be carried out.
                Err(DecisionError::Refused(_)) => put.answer = Some(Said::Other),
                Err(DecisionError::Weave(error)) => return Err(error),
            }
        }
    }
    if changed {
        match asking.write(&*shop.disk, &shop.folder, read.as_deref()) {
            // A hook wrote meanwhile: the next run reads the same answers, and what was accepted waits no longer.
            Err(trouble) if trouble.is_conflict() || trouble.is_busy() => {}
            written => written?,
        }
    }
    Ok(edits)
}

/// What the person said to a question, if it was asked and answered.
fn answer_to(
    shop: &Workshop,
    put: &Put,
    rule: &str,
    forgotten: &Forgotten,
) -> Result<Option<Said>, WeaveError> {
    let from = Some(Cursor::at_start_of(Day::of(put.ts)));
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, from)?;
    let (mut asked, mut answer) = (None, None);
    reader.read(|_, item| {
        let Item::Record { envelope, .. } = item else { return ControlFlow::Continue(()) };
        if envelope.session_key.as_deref() != Some(put.session.as_str()) || envelope.gate() != Gate::External
        {
            return ControlFlow::Continue(());
        }
        let Ok(event) = envelope.to_event() else { return ControlFlow::Continue(()) };
        if event.ts < put.ts || forgotten.holds(event.id.as_str(), Some(&put.session)) {
            return ControlFlow::Continue(());
        }
        match (event.event_type.as_str(), &asked) {
            // What the agent said last is what the person answers.
            (event_type::AGENT_RESULT, _) => asked = event.text().map(|text| Question::of(text, rule)),
            (event_type::CHANNEL_MESSAGE, Some(question)) if event.standing() == Standing::Words => {
                if question.names_the_rule {
                    answer = Some(said(&event, question));
                    return ControlFlow::Break(());
                }
                asked = None;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(answer)
}

/// What an agent said last.
#[derive(Debug)]
struct Question {
    names_the_rule: bool,
    /// It asks something else, too.
    asks_more: bool,
}

impl Question {
    fn of(text: &str, rule: &str) -> Self {
        let said = plain(&outside_of_code(text));
        let before = said.strip_suffix(&plain(rule)).and_then(|front| front.trim_end().strip_suffix(ASKS));
        // Its own question mark may stand at the end.
        let marks =
            text.trim_end().strip_suffix(is_question_mark).unwrap_or(text).matches(is_question_mark).count();
        let asks_more = marks > rule.matches(is_question_mark).count();
        Self {
            names_the_rule: before.is_some_and(|front| front.is_empty() || front.ends_with(' ')),
            asks_more,
        }
    }
}

/// How the hook has the question asked, in plain words.
const ASKS: &str = "shall i remember this rule for good";

/// Question marks of all scripts.
fn is_question_mark(character: char) -> bool {
    matches!(character, '?' | '？' | '؟' | '⁇' | '⁈' | '⁉' | '¿' | '︖' | '﹖' | ';')
}

/// What is said in a text and not shown in it: no fenced code, no quotation.
fn outside_of_code(text: &str) -> String {
    let mut is_code = false;
    let mut said = String::new();
    for line in text.lines() {
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_code = !is_code;
        } else if !is_code && !bare.starts_with('>') {
            said.push_str(line);
            said.push('\n');
        }
    }
    said
}

fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

const YES: &[&str] = &[
    "yes",
    "y",
    "yep",
    "yeah",
    "yup",
    "sure",
    "absolutely",
    "definitely",
    "ja",
    "jo",
    "oui",
    "si",
    "sí",
    "sim",
    "tak",
];
const NO: &[&str] = &["no", "n", "nope", "nah", "nein", "non", "não", "nie"];
/// What may stand beside a yes and leaves it one.
const BESIDES: &[&str] = &[
    "please", "do", "it", "that", "this", "remember", "keep", "save", "add", "the", "rule", "for", "good",
    "always", "thanks", "thank", "you", "go", "ahead", "to", "of", "course", "bitte", "gerne", "merci",
    "gracias",
];
/// What names the rule in an answer.
const NAMING: &[&str] = &["remember", "rule", "keep", "save"];

/// What a message says to a question, as far as it is plain.
fn said(message: &Event, question: &Question) -> Said {
    let text = message.text().unwrap_or_default();
    // All of it has to be said: what was pasted beside it may be what was answered, and what follows may take it back.
    let words = plain(&speech(text).join("\n"));
    if words != plain(text) || text.contains(is_question_mark) {
        return Said::Other;
    }
    let words: Vec<&str> = words.split(' ').collect();
    let (Some(begin), rest) = (words.first(), words.get(1..).unwrap_or_default()) else { return Said::Other };
    let is_plain = rest.iter().all(|word| BESIDES.contains(word) || YES.contains(word));
    let names_it = rest.iter().any(|word| NAMING.contains(word));
    if YES.contains(begin) && is_plain && (names_it || !question.asks_more) {
        Said::Yes
    } else if NO.contains(begin)
        && rest.iter().all(|word| {
            BESIDES.contains(word) || NO.contains(word) || *word == "t" || *word == "don" || *word == "not"
        })
        && !question.asks_more
    {
        Said::No
    } else {
        Said::Other
    }
}
