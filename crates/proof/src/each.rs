//! Every correction once, in a home of its own: with no line about it, with one that says the same, and with one that says otherwise. It
//! shows how kinds of speech are understood, without the chance that a life brings along; what a life makes of it is another matter.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use subcortex_memory::Broadcast;

use crate::ProofError;
use crate::acts::{Decisions, acts};
use crate::authors::{OTHER_NO_RULES, other_corrections};
use crate::hearing::{Hearing, Stood, hearing};
use crate::home::{Home, Spoken};
use crate::measure::Heard;
use crate::reading;
use crate::sayings::{NO_RULES, corrections, requests};
use crate::topics::{MEMORY_AT_THE_START, PROJECTS, TOPICS, Topic, coming_up, line_for};

/// How long after a turn memory-weaver looks at it: the turn is over by then.
const LATER: SignedDuration = SignedDuration::from_mins(30);

/// Says everything once; tells how it was understood.
pub fn each() -> Result<Hearing, ProofError> {
    let mut all = Hearing::default();
    for topic in TOPICS {
        for wanted in topic.choices {
            let others = other_corrections(topic.name, wanted);
            for sentence in corrections(topic.name, wanted).iter().chain(others) {
                for stood in [Stood::NoLine, Stood::LineAgrees, Stood::LineDisagrees] {
                    if let Some(case) = Case::of(topic, wanted, stood) {
                        all.add(&case.say(sentence)?);
                    }
                }
            }
        }
    }
    for sentence in NO_RULES.iter().chain(OTHER_NO_RULES) {
        all.add(&chat(sentence)?);
    }
    Ok(all)
}

/// A correction in a situation.
struct Case {
    topic: &'static Topic,
    wanted: &'static str,
    /// What the agent does.
    done: &'static str,
    project: usize,
    broadcast: String,
}

impl Case {
    fn of(topic: &'static Topic, wanted: &'static str, stood: Stood) -> Option<Self> {
        let project = topic.wishes.iter().find(|wish| wish.2 == wanted).map(|wish| wish.0)?;
        let mut others = topic.choices.iter().filter(|choice| **choice != wanted);
        let (done, line) = match stood {
            Stood::NoLine => (others.next()?, None),
            Stood::LineAgrees => (others.next()?, Some(line_for(topic.name, wanted)?)),
            Stood::LineDisagrees => {
                others.find_map(|choice| Some((choice, Some(line_for(topic.name, choice)?))))?
            }
        };
        let is_about = |line: &&str| {
            line.starts_with('-') && reading::asks(line).is_some_and(|(about, _)| about == topic.name)
        };
        let mut lines: Vec<String> =
            MEMORY_AT_THE_START.lines().filter(|line| !is_about(line)).map(str::to_owned).collect();
        // Behind the first heading stand the lines that hold everywhere.
        lines.splice(2..2, line.map(|line| format!("- {line}")));
        let broadcast = lines.join("\n") + "\n";
        Some(Self { topic, wanted, done, project, broadcast })
    }

    fn say(&self, sentence: &str) -> Result<Hearing, ProofError> {
        let mut done: Decisions = coming_up(self.topic.work, self.project)
            .filter_map(|topic| Some((topic.name, topic.wish(self.project, 0)?)))
            .collect();
        done.insert(self.topic.name, self.done);
        let heard = |event: String, lines: &[reading::ReadLine]| {
            let about = |line: &&reading::ReadLine| {
                line.holds_in(self.project) && line.asks.is_some_and(|(topic, _)| topic == self.topic.name)
            };
            let (with, against): (Vec<_>, Vec<_>) = lines
                .iter()
                .filter(about)
                .map(|line| (line.asks.map(|(_, choice)| choice), line.text.clone()))
                .partition(|(choice, _)| *choice == Some(self.wanted));
            let texts = |lines: Vec<(_, String)>| lines.into_iter().map(|(_, text)| text).collect();
            Heard {
                event: Some(event),
                message: sentence.to_owned(),
                topic: self.topic.name,
                wanted: self.wanted,
                project: self.project,
                with: texts(with),
                against: texts(against),
            }
        };
        let lines = reading::read(&self.broadcast);
        say(&self.broadcast, (self.project, self.topic.work), &done, sentence, |event, found, texts| {
            hearing(&[heard(event, &lines)], &[], found, texts)
        })
    }
}

fn chat(sentence: &'static str) -> Result<Hearing, ProofError> {
    say(MEMORY_AT_THE_START, (0, "code"), &Decisions::new(), sentence, |event, found, texts| {
        hearing(&[], &[(event, sentence)], found, texts)
    })
}

/// A piece of work, what a person says to it, and what was heard.
fn say(
    broadcast: &str,
    (project, work): (usize, &str),
    done: &Decisions,
    sentence: &str,
    judge: impl FnOnce(String, &subcortex_memory::fragments::Found, &BTreeMap<String, String>) -> Hearing,
) -> Result<Hearing, ProofError> {
    let mut now = Timestamp::from_second(1_767_600_000).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut home = Home::with(broadcast, now)?;
    let folder = format!("/home/dev/{}", PROJECTS.get(project).unwrap_or(&""));
    let did = acts(work, project, &folder, done, 1);
    let mut spoken = Spoken {
        session: "session-1",
        folder: &folder,
        message: requests(work).first().unwrap_or(&"go on"),
        acts: &did,
        answer: "Done. Tell me if something should be different.",
        ends_session: false,
    };
    home.turn(&spoken, now)?;
    now += SignedDuration::from_mins(5);
    (spoken.message, spoken.acts, spoken.ends_session) = (sentence, &[], true);
    let event = home.turn(&spoken, now)?;
    home.reflect(now + LATER)?;
    let lines = Broadcast::parse(broadcast.to_owned()).lines;
    let texts = lines.into_iter().map(|line| (line.hash.as_str().to_owned(), line.text)).collect();
    Ok(judge(event, &home.fragments()?, &texts))
}
