//! The words that rules are made of, as data: `data/words/*.yaml`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::code::is_program;
use crate::text;

/// The small words of rules.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grammar {
    pub(crate) forbids: Vec<String>,
    pub(crate) forbidden_behind: Vec<String>,
    pub(crate) labels_that_forbid: Vec<String>,
    pub(crate) labels_that_ask: Vec<String>,
    pub(crate) labels_that_ask_first: Vec<String>,
    pub(crate) labels_that_except: Vec<String>,
    pub(crate) softeners: Vec<String>,
    pub(crate) asked_behind: Vec<String>,
    pub(crate) swaps: Vec<String>,
    pub(crate) reasons: Vec<String>,
    pub(crate) conditions: Conditions,
    pub(crate) soft_exceptions: Vec<String>,
    pub(crate) asked_exceptions: Vec<String>,
    pub(crate) leaves: Vec<String>,
    fillers: Vec<String>,
}

/// What begins a condition.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conditions {
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
    pub(crate) when: Vec<String>,
    pub(crate) unless: Vec<String>,
    pub(crate) within: Vec<String>,
}

/// Files that go by a name.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Files {
    pub(crate) name: String,
    pub(crate) called: Vec<String>,
    pub(crate) paths: Vec<String>,
    /// Where a language lists what it depends on.
    #[serde(default)]
    pub(crate) manifests: Vec<String>,
}

/// Libraries that rules name in plain words.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Libraries {
    /// Groups that do the same work.
    pub(crate) rivals: Vec<Vec<String>>,
    /// Groups of programs and ways, of which people take one; names of the same thing are parted by `/`.
    pub(crate) ways: Vec<Vec<String>>,
    /// What else nobody does both ways, in the same form.
    pub(crate) opposites: Vec<Vec<String>>,
    /// How one thing cannot be at the same time, in the same form.
    pub(crate) qualities: Vec<Vec<String>>,
    pub(crate) others: Vec<String>,
    /// The names under which code imports what is installed under another.
    pub(crate) imports: BTreeMap<String, String>,
    /// Expressions for those that are not imported by their names.
    pub(crate) looks: BTreeMap<String, String>,
}

/// A noun for pieces of code that can be looked at one by one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unit {
    pub(crate) called: Vec<String>,
    pub(crate) unit: String,
    /// Expression for its name.
    #[serde(default)]
    pub(crate) named: Option<String>,
    /// Expression that tells it from others of its kind.
    #[serde(default)]
    pub(crate) has: Option<String>,
}

/// A language that people write in.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tongue {
    pub(crate) called: Vec<String>,
    /// Small words that every text in it holds, parted by `|`.
    pub(crate) words: String,
    /// Letters that no other language here writes.
    pub(crate) letters: String,
}

/// An occasion and how people name it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Occasion {
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the data"))]
    pub(crate) name: String,
    pub(crate) says: Vec<String>,
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// Conditions as checks have them, with `@names` and roles.
    pub(crate) is: Vec<Value>,
    /// Whether it lasts until the turn is over, so that "before" and "after" it say nothing about the order of deeds.
    #[serde(default)]
    pub(crate) lasts: bool,
    /// Where it may be: doing it counts there, not doing it does not.
    #[serde(default)]
    pub(crate) maybe: Vec<Value>,
}

/// All words.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) grammar: Grammar,
    pub(crate) fillers: HashSet<String>,
    /// Kinds of act by the stem of the verb.
    acts: HashMap<String, Vec<String>>,
    verbs: BTreeMap<String, Vec<String>>,
    pub(crate) languages: Vec<Files>,
    pub(crate) nouns: Vec<Files>,
    /// Commands by role.
    pub(crate) programs: BTreeMap<String, Vec<String>>,
    pub(crate) occasions: Vec<Occasion>,
    pub(crate) units: Vec<Unit>,
    pub(crate) libraries: Libraries,
    /// What rules call a role.
    pub(crate) roles: BTreeMap<String, Vec<String>>,
    /// Stems of words that only say what kind of thing a term is.
    pub(crate) term_nouns: HashSet<String>,
    /// Words that begin a piece of code and never a command.
    pub(crate) keywords: HashSet<String>,
    /// Programs whose bare names are said of the agent's own tools.
    pub(crate) tools: HashSet<String>,
    /// Languages that people write in, English first.
    pub(crate) tongues: Vec<Tongue>,
    /// Commands of the shell itself.
    pub(crate) builtins: Vec<String>,
    /// What people call the deeds of a program.
    pub(crate) deeds: BTreeMap<String, Vec<String>>,
    /// Files that list dependencies, and what is run to add one.
    pub(crate) manifests: BTreeMap<String, Vec<String>>,
    /// Words that say how well something is to be done.
    pub(crate) judgement: Vec<String>,
    /// Stems of words for how a check of the work ends.
    pub(crate) outcomes: HashSet<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| Words::load().unwrap_or_default());

/// The root of a word: its stem, that one's stem, and no double letter at the end, so that "docstrings" meets "docstring" and "adding"
/// meets "add".
pub(crate) fn root(word: &str) -> String {
    let single = word.strip_suffix('s').unwrap_or(word);
    if is_program(single.strip_suffix('e').unwrap_or("")) && !is_program(single) {
        // "pipe" is not `pip`.
        return single.to_owned();
    }
    let mut root = text::stem(&text::stem(word));
    let mut ends = root.chars().rev();
    if let (Some(last), Some(before)) = (ends.next(), ends.next())
        && last == before
        && last.is_ascii_alphabetic()
    {
        root.pop();
    }
    root
}

/// Globs of everything that is program code.
pub(crate) fn code_globs() -> &'static [String] {
    words().paths_of("code").unwrap_or_default()
}

/// Globs of the files that nouns and languages with one of these stems stand for.
pub(crate) fn files_named(stems: &[String]) -> Vec<&'static str> {
    let all = words().languages.iter().chain(&words().nouns);
    let named = all.filter(|files| files.called.iter().any(|name| stems.contains(&text::stem(name))));
    named
        .flat_map(|files| &files.paths)
        .flat_map(|path| {
            path.strip_prefix('@')
                .and_then(|name| words().paths_of(name))
                .unwrap_or(std::slice::from_ref(path))
        })
        .map(String::as_str)
        .collect()
}

/// The words.
pub(crate) fn words() -> &'static Words {
    &WORDS
}

fn data<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, String> {
    subcortex_yaml::from_str(text).map_err(|problem| format!("{name}: {problem}"))
}

fn by_stem(verbs: &BTreeMap<String, Vec<String>>) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for (kind, verb) in verbs.iter().flat_map(|(kind, list)| list.iter().map(move |verb| (kind, verb))) {
        found.entry(root(verb)).or_default().push(kind.clone());
    }
    found
}

impl Words {
    /// Reads the embedded data. A test makes sure that it can be read.
    fn load() -> Result<Self, String> {
        let grammar: Grammar = data("grammar.yaml", include_str!("../../data/words/grammar.yaml"))?;
        let verbs = data("verbs.yaml", include_str!("../../data/words/verbs.yaml"))?;
        let stems = |list: Vec<String>| list.iter().map(|word| root(word)).collect();
        Ok(Self {
            roles: data("roles.yaml", include_str!("../../data/words/roles.yaml"))?,
            term_nouns: stems(data("term_nouns.yaml", include_str!("../../data/words/term_nouns.yaml"))?),
            outcomes: stems(data("outcomes.yaml", include_str!("../../data/words/outcomes.yaml"))?),
            tongues: data("tongues.yaml", include_str!("../../data/words/tongues.yaml"))?,
            builtins: data("builtins.yaml", include_str!("../../data/words/builtins.yaml"))?,
            deeds: data("deeds.yaml", include_str!("../../data/words/deeds.yaml"))?,
            manifests: data("manifests.yaml", include_str!("../../data/words/manifests.yaml"))?,
            judgement: data("judgement.yaml", include_str!("../../data/words/judgement.yaml"))?,
            keywords: data("keywords.yaml", include_str!("../../data/words/keywords.yaml"))?,
            tools: ["bash", "sh"].iter().map(|name| (*name).to_owned()).collect(),
            fillers: stems(grammar.fillers.clone()),
            grammar,
            acts: by_stem(&verbs),
            verbs,
            languages: data("languages.yaml", include_str!("../../data/words/languages.yaml"))?,
            nouns: data("nouns.yaml", include_str!("../../data/words/nouns.yaml"))?,
            programs: data("programs.yaml", include_str!("../../data/words/programs.yaml"))?,
            libraries: data("libraries.yaml", include_str!("../../data/words/libraries.yaml"))?,
            units: data("units.yaml", include_str!("../../data/words/units.yaml"))?,
            occasions: data("occasions.yaml", include_str!("../../data/words/occasions.yaml"))?,
        })
    }

    /// Whether a stem carries no meaning of its own.
    pub(crate) fn is_filler(&self, stem: &str) -> bool {
        self.fillers.contains(stem)
    }

    /// The kinds of act that a verb can stand for.
    pub(crate) fn acts(&self, verb: &str) -> &[String] {
        self.acts.get(&root(verb)).map_or(&[], Vec::as_slice)
    }

    /// All verbs.
    pub(crate) fn verbs(&self) -> impl Iterator<Item = &String> {
        self.verbs.values().flatten()
    }

    /// The verbs of a kind.
    pub(crate) fn verbs_of(&self, kind: &str) -> &[String] {
        self.verbs.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Whether a verb is of this kind.
    pub(crate) fn is_act(&self, verb: &str, kind: &str) -> bool {
        self.acts(verb).iter().any(|other| other == kind)
    }

    /// The paths that `@name` stands for.
    pub(crate) fn paths_of(&self, name: &str) -> Option<&[String]> {
        self.languages
            .iter()
            .chain(&self.nouns)
            .find(|files| files.name == name)
            .map(|files| files.paths.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_can_be_read_and_name_only_what_there_is() {
        let words = Words::load().expect("the data can be read");
        let named = words.nouns.iter().flat_map(|noun| &noun.paths).filter_map(|path| path.strip_prefix('@'));
        for name in named {
            assert!(words.paths_of(name).is_some(), "@{name}");
        }
        for occasion in &words.occasions {
            for condition in &occasion.is {
                assert!(
                    !super::super::expand::conditions(condition).is_empty(),
                    "{}: {condition}",
                    occasion.name
                );
            }
        }
        assert!(words.is_act("running", "run") && words.is_act("modify", "edit"));
    }
}
