//! The world: sessions of people and an agent, turn by turn.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::ProofError;
use crate::acts::{Act, Decisions, acts, look};
use crate::authors::{OTHER_NO_RULES, other_corrections};
use crate::home::Spoken;
use crate::measure::{Heard, LifeFigures, Measure};
use crate::policy::{Memory, Policy};
use crate::random::Random;
use crate::reading::{self, ReadLine};
use crate::sayings::{NO_RULES, POISON, corrections, requests};
use crate::topics::{PROJECTS, TOPICS, coming_up};

const WORKS: &[&str] =
    &["install", "search", "code", "code", "commit", "commit", "delete", "containers", "test"];
/// How often each person says something about what they do not like, in percent.
const PEOPLE_SPEAK_UP: [f64; 4] = [75.0, 60.0, 45.0, 30.0];
/// How surely an agent follows the first line of its memory, in percent, and how much less each line further down.
const FOLLOWS_FIRST_LINE: f64 = 93.0;
const LESS_PER_LINE: f64 = 0.4;
const FOLLOWS_AT_LEAST: f64 = 10.0;
/// How surely it remembers what it was told in the same session, in percent.
const REMEMBERS_SESSION: f64 = 95.0;
/// How often a person only chats, and how often a tool brings poison, in percent.
const CHAT: f64 = 15.0;
const POISONED: f64 = 4.0;
/// How often a correction goes on with the next piece of work in the same breath, in percent.
const GOES_ON: f64 = 25.0;

const TURN_MINUTES: i64 = 5;
const BETWEEN_TICKS: SignedDuration = SignedDuration::from_mins(37);

/// What is simulated.
#[derive(Debug, Clone, Copy)]
pub struct Life {
    /// All that is left to chance follows from it.
    pub seed: u64,
    /// How many turns there are.
    pub turns: usize,
    /// How the memory is kept.
    pub policy: Policy,
}

/// What a person will say next about the last turn.
#[derive(Debug, Clone, Copy)]
struct Complaint {
    topic: &'static str,
    wanted: &'static str,
    work: &'static str,
}

/// Lives it.
pub fn live(life: Life) -> Result<LifeFigures, ProofError> {
    World::begin(life)?.run()
}

struct World {
    life: Life,
    /// What happens, whatever the memory; what the agent does; what people do about it.
    script: Random,
    agent: Random,
    people: Random,
    now: Timestamp,
    last_tick: Timestamp,
    memory: Memory,
    measure: Measure,
    turn: usize,
}

/// One session, while it lasts.
struct Session {
    key: String,
    project: usize,
    folder: String,
    speaks_up: f64,
    lines: Vec<ReadLine>,
    told: BTreeMap<&'static str, &'static str>,
    complaint: Option<Complaint>,
}

impl World {
    fn begin(life: Life) -> Result<Self, ProofError> {
        let now = Timestamp::from_second(1_767_600_000).unwrap_or(Timestamp::UNIX_EPOCH);
        let memory = Memory::begin(life.policy, now)?;
        let measure = Measure::begin(life.turns, &memory.text()?);
        let random = |stream| Random::seeded(life.seed, stream);
        let (script, agent, people) = (random(1), random(2), random(3));
        Ok(Self { life, script, agent, people, now, last_tick: now, memory, measure, turn: 0 })
    }

    fn percent_done(&self) -> usize {
        self.turn * 100 / self.life.turns.max(1)
    }

    fn run(mut self) -> Result<LifeFigures, ProofError> {
        let mut number = 0;
        while self.turn < self.life.turns {
            number += 1;
            self.session(number)?;
            self.now += SignedDuration::from_mins(20 + self.script.below(50) as i64);
            self.tick_if_due()?;
        }
        self.now += BETWEEN_TICKS;
        self.tick_if_due()?;
        let text = self.memory.text()?;
        let found = match &self.memory {
            Memory::Subcortex(home) | Memory::Asking(home) => Some((home.fragments()?, home.journal()?)),
            Memory::Nothing | Memory::AppendEverything(_) | Memory::CountersOnly { .. } => None,
        };
        Ok(self.measure.finish(&text, self.life.turns, found))
    }

    fn session(&mut self, number: usize) -> Result<(), ProofError> {
        let project = self.script.below(PROJECTS.len());
        let person = self.script.below(PEOPLE_SPEAK_UP.len());
        let turns = 4 + self.script.below(9);
        self.ask(project)?;
        let mut session = Session {
            key: format!("session-{number}"),
            project,
            folder: format!("/home/dev/{}", PROJECTS.get(project).unwrap_or(&"")),
            speaks_up: PEOPLE_SPEAK_UP.get(person).copied().unwrap_or(50.0),
            lines: reading::read(&self.memory.text()?),
            told: BTreeMap::new(),
            complaint: None,
        };
        let mut left = turns;
        while (left > 0 || session.complaint.is_some()) && self.turn < self.life.turns {
            left = left.saturating_sub(1);
            let is_last = left == 0 && session.complaint.is_none();
            self.one_turn(&mut session, is_last)?;
            self.tick_if_due()?;
        }
        Ok(())
    }

    fn one_turn(&mut self, session: &mut Session, is_last: bool) -> Result<(), ProofError> {
        let complaint = session.complaint.take();
        let work = self.script.pick(WORKS).unwrap_or("code");
        let request = self.script.pick(requests(work)).unwrap_or_default();
        let chat = self.script.percent(CHAT).then(|| self.no_rule()).flatten();
        let (message, work) = match (complaint, chat) {
            (Some(complaint), _) => {
                session.told.insert(complaint.topic, complaint.wanted);
                let words = corrections(complaint.topic, complaint.wanted).iter();
                let others = other_corrections(complaint.topic, complaint.wanted);
                let words: Vec<&str> = words.chain(others).copied().collect();
                let words = self.people.pick(&words).unwrap_or_default().to_owned();
                if self.people.percent(GOES_ON) {
                    (format!("{words}. {request}"), Some(work))
                } else {
                    (words, Some(complaint.work))
                }
            }
            (None, Some(chat)) => (chat.to_owned(), None),
            (None, None) => (request.to_owned(), Some(work)),
        };
        let done = work.map(|work| self.decide(session, work)).unwrap_or_default();
        let mut acts = acts(work.unwrap_or_default(), session.project, &session.folder, &done, self.turn);
        acts.extend(self.poison(&session.folder));
        let spoken = Spoken {
            session: &session.key,
            folder: &session.folder,
            message: &message,
            acts: &acts,
            answer: "Done. Tell me if something should be different.",
            ends_session: is_last,
        };
        let is_correction = complaint.is_some();
        let id = self.memory.turn(&spoken, is_correction, session.project, &done, self.now)?;
        self.record(session, complaint, chat.filter(|_| complaint.is_none()), &message, id)?;
        self.complain(session, work, &done);
        self.turn += 1;
        self.now += SignedDuration::from_mins(TURN_MINUTES);
        Ok(())
    }

    /// Something that is no rule.
    fn no_rule(&mut self) -> Option<&'static str> {
        let all: Vec<&'static str> = NO_RULES.iter().chain(OTHER_NO_RULES).copied().collect();
        self.script.pick(&all)
    }

    /// Puts the best proposal to a person, who wants it or not.
    fn ask(&mut self, project: usize) -> Result<(), ProofError> {
        let Some(proposal) = self.memory.proposal()? else { return Ok(()) };
        let named = |name: &&str| proposal.change.project.as_deref().is_some_and(|path| path.ends_with(name));
        let project = PROJECTS.iter().position(named).unwrap_or(project);
        let asked = proposal.rule().and_then(reading::asks);
        let is_wanted = asked.is_some_and(|(topic, choice)| {
            let topic = TOPICS.iter().find(|one| one.name == topic);
            topic.and_then(|topic| topic.wish(project, self.percent_done())) == Some(choice)
        });
        self.memory.answer(&proposal, is_wanted)
    }

    fn poison(&mut self, folder: &str) -> Option<Act> {
        let (is_poisoned, is_page) = (self.script.percent(POISONED), self.script.percent(50.0));
        let (text, _) = self.script.pick(POISON).filter(|_| is_poisoned)?;
        Some(look(folder, text, is_page))
    }

    fn record(
        &mut self,
        session: &Session,
        complaint: Option<Complaint>,
        chat: Option<&'static str>,
        message: &str,
        id: Option<String>,
    ) -> Result<(), ProofError> {
        if let Some(complaint) = complaint {
            let heard = Heard {
                event: id,
                message: message.to_owned(),
                topic: complaint.topic,
                wanted: complaint.wanted,
                project: session.project,
                with: Vec::new(),
                against: Vec::new(),
            };
            self.measure.correction(self.turn, heard);
        } else if let (Some(chat), Some(id)) = (chat, id) {
            self.measure.chat(id, chat);
        }
        // Most memories change at every tick or turn only: a look at the text is cheap.
        let text = self.memory.text()?;
        self.measure.look(self.turn, self.percent_done(), &text);
        Ok(())
    }

    /// How the agent does what comes up: as told in this session, as a line says that it thinks of, or out of habit.
    fn decide(&mut self, session: &Session, work: &str) -> Decisions {
        let mut done = Decisions::new();
        for topic in coming_up(work, session.project) {
            let told = session.told.get(topic.name).copied();
            let remembers = self.agent.percent(REMEMBERS_SESSION);
            let way = told.filter(|_| remembers).or_else(|| self.recalled(session, topic.name));
            done.insert(topic.name, way.unwrap_or(topic.habit));
        }
        done
    }

    fn recalled(&mut self, session: &Session, topic: &str) -> Option<&'static str> {
        let mut own = Vec::new();
        let mut general = Vec::new();
        for (at, line) in session.lines.iter().enumerate() {
            let Some((about, choice)) = line.asks else { continue };
            let chance = (FOLLOWS_FIRST_LINE - LESS_PER_LINE * at as f64).max(FOLLOWS_AT_LEAST);
            if about == topic && line.holds_in(session.project) && self.agent.percent(chance) {
                if line.project.is_some() { own.push(choice) } else { general.push(choice) }
            }
        }
        self.agent.pick(&own).or_else(|| self.agent.pick(&general))
    }

    /// A person may say what they do not like, one thing at a time.
    fn complain(&mut self, session: &mut Session, work: Option<&'static str>, done: &Decisions) {
        let percent_done = self.percent_done();
        let mut wrong = Vec::new();
        for topic in TOPICS {
            let (Some(way), Some(wanted)) = (done.get(topic.name), topic.wish(session.project, percent_done))
            else {
                continue;
            };
            if *way != wanted {
                wrong.push((topic.name, wanted));
            }
        }
        self.measure.violations(self.turn, wrong.len());
        let Some((topic, wanted)) = self.people.pick(&wrong) else { return };
        if self.people.percent(session.speaks_up) {
            session.complaint = work.map(|work| Complaint { topic, wanted, work });
        }
    }

    fn tick_if_due(&mut self) -> Result<(), ProofError> {
        if self.now.duration_since(self.last_tick) >= BETWEEN_TICKS {
            self.last_tick = self.now;
            self.memory.tick(self.now)?;
            let text = self.memory.text()?;
            self.measure.look(self.turn, self.percent_done(), &text);
        }
        Ok(())
    }
}
