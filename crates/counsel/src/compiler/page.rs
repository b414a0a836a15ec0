//! What a model is shown: the rules that it is asked about, those beside them, and what is known of their project.

use std::fmt::Write as _;

use subcortex_checks::{Check, in_words};
use subcortex_mind::Question;

use super::knowledge::Knowledge;
use crate::quoted;

/// The language of checks, as it is explained. It is a part of what an answer rests on.
const LANGUAGE: &str = include_str!("language.txt");
/// How many hexadecimal digits a key has.
const KEY_DIGITS: usize = 16;
/// The longest answer, in tokens, for each rule that is asked about and …
const OUTPUT_TOKENS_A_RULE: u32 = 800;
/// … for what a model thinks before it answers.
const OUTPUT_TOKENS: u32 = 8_000;
/// How many commands and places of a project are shown.
const MAX_SHOWN: usize = 40;
/// How much of a text is shown, in characters.
const MAX_TEXT_CHARS: usize = 2_000;
/// How much of the reading without a model is shown, in characters.
const MAX_READING_CHARS: usize = 160;
/// How many bytes of a question are about one token.
const BYTES_A_TOKEN: usize = 4;

/// A rule as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// By which it is asked about and answered.
    pub number: usize,
    /// Its words.
    pub text: String,
    /// Headings and parents, outermost first.
    pub context: Vec<String>,
    /// The code block that follows it.
    pub code: Option<String>,
    /// How it is read without a model.
    pub known: Check,
}

/// The rules of a file and their project.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// In the order of the file.
    pub rules: &'a [Rule],
    /// What is known of the project.
    pub project: &'a Knowledge,
}

impl Page<'_> {
    /// The question about some of the rules. The ones beside them are shown as well.
    pub(super) fn question(&self, wanted: &[usize]) -> Question {
        let mut text = String::new();
        self.tell_project(&mut text);
        let asked = |at: usize| self.rules.get(at).is_some_and(|rule| wanted.contains(&rule.number));
        let mut context: &[String] = &[];
        for (at, rule) in self.rules.iter().enumerate() {
            let is_beside = asked(at + 1) || at.checked_sub(1).is_some_and(asked);
            if !asked(at) && !is_beside {
                continue;
            }
            if rule.context != context {
                context = &rule.context;
                let shown: Vec<String> = context.iter().map(|heading| shown(heading)).collect();
                line(&mut text, &format!("under {}", shown.join(" > ")));
            }
            let mark = if asked(at) { "" } else { " (only beside it)" };
            line(&mut text, &format!("{}{mark}: {}", rule.number, shown(&rule.text)));
            if let (Some(code), true) = (&rule.code, asked(at)) {
                line(&mut text, &format!("  its code block: {}", shown(code)));
            }
            if rule.known.testable && asked(at) {
                let known: String = in_words(&rule.known).chars().take(MAX_READING_CHARS).collect();
                line(&mut text, &format!("  read without a model as: {}", quoted(&known)));
            }
        }
        let numbers: Vec<String> = wanted.iter().map(usize::to_string).collect();
        line(&mut text, &format!("Answer for: {}", numbers.join(", ")));
        let rules = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
        let max_output_tokens = OUTPUT_TOKENS.saturating_add(OUTPUT_TOKENS_A_RULE.saturating_mul(rules));
        Question { max_output_tokens, ..Question::new("compile", LANGUAGE, text) }
    }

    fn tell_project(&self, text: &mut String) {
        let Knowledge { targets, commands, files } = self.project;
        if !targets.is_empty() {
            line(text, "Targets of the project and what they run:");
            for target in targets.iter().take(MAX_SHOWN) {
                line(text, &format!("  {}: {}", shown(&target.command), shown(&target.runs.join(" && "))));
            }
        }
        let list = |items: &[String]| {
            items.iter().take(MAX_SHOWN).map(|item| shown(item)).collect::<Vec<_>>().join(", ")
        };
        if !commands.is_empty() {
            line(text, &format!("Commands that were run there: {}", list(commands)));
        }
        if !files.is_empty() {
            line(text, &format!("Files that were changed there: {}", list(files)));
        }
    }
}

/// The one question that follows a trial: about so many rules, in the same language.
pub(super) fn again(text: String, rules: usize) -> Question {
    let rules = u32::try_from(rules).unwrap_or(u32::MAX);
    let max_output_tokens = OUTPUT_TOKENS.saturating_add(OUTPUT_TOKENS_A_RULE.saturating_mul(rules));
    Question { max_output_tokens, ..Question::new("compile", LANGUAGE, text) }
}

/// Names all that an answer about a rule rests on: its words and context, its neighbours' words, the project's own commands, and how it is
/// asked. What was seen in sessions is not among it: that grows all the time.
pub fn key(page: &Page<'_>, at: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(LANGUAGE);
    if let Some(rule) = page.rules.get(at) {
        add(&rule.text);
        rule.context.iter().for_each(|heading| add(heading));
        add(rule.code.as_deref().unwrap_or(""));
    }
    for beside in [at.checked_sub(1), Some(at + 1)] {
        add(beside.and_then(|beside| page.rules.get(beside)).map_or("", |rule| &rule.text));
    }
    for target in &page.project.targets {
        add(&target.command);
        target.runs.iter().for_each(|run| add(run));
    }
    hasher.finalize().to_hex().get(..KEY_DIGITS).unwrap_or_default().to_owned()
}

/// About how many tokens it takes to ask about these rules, and to answer at most.
pub fn estimate_tokens(page: &Page<'_>, wanted: &[usize]) -> (usize, usize) {
    let batches = wanted.chunks(super::MAX_RULES_A_QUESTION).map(|batch| page.question(batch));
    batches.fold((0, 0), |(read, written), question| {
        (read + question.len_bytes() / BYTES_A_TOKEN, written + question.max_output_tokens as usize)
    })
}

fn line(text: &mut String, words: &str) {
    // Writing to a String cannot fail.
    let _ok = writeln!(text, "{words}");
}

fn shown(text: &str) -> String {
    let cut =
        text.char_indices().nth(MAX_TEXT_CHARS).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    quoted(cut)
}
