//! Rules about the language that people write in: answers, comments, documents, commit messages.

use crate::language::{By, Check, Condition, Expect, Said, Wrote};
use crate::line::ParsedLine;

use super::concepts::{CODE_GLOBS, DOC_GLOBS};

/// A language by the small words that every text in it holds.
pub(crate) struct Language {
    names: &'static [&'static str],
    words: &'static str,
    /// Letters that no other language here writes.
    letters: &'static str,
}

const ENGLISH: &str = "the|and|is|are|this|that|with|for|from|was|were|which|when|have|has|been|not|you|your";

const LANGUAGES: &[Language] = &[
    Language { names: &["english"], words: ENGLISH, letters: "" },
    Language {
        names: &["german", "deutsch"],
        words: "der|die|das|und|ist|nicht|ein|eine|wenn|mit|für|auf|wird|sind|den|dem|habe|werden|jetzt|noch|auch|wieder",
        letters: "äöüß",
    },
    Language {
        names: &["french", "français"],
        words: "le|la|les|des|est|dans|pour|avec|une|que|qui|pas|sur|vous|nous|cette|sont",
        letters: "èêçàœ",
    },
    Language {
        names: &["spanish", "español"],
        words: "el|los|las|una|que|con|para|por|está|son|del|como|esta|pero|más|cuando",
        letters: "ñ¿¡",
    },
    Language {
        names: &["portuguese", "português"],
        words: "não|uma|para|com|que|está|são|dos|das|você|como|mais|também|quando",
        letters: "ãõ",
    },
    Language {
        names: &["italian", "italiano"],
        words: "il|gli|che|non|una|con|per|sono|della|del|questo|anche|quando",
        letters: "ìò",
    },
    Language { names: &["japanese", "日本語"], words: "", letters: r"\p{Hiragana}\p{Katakana}" },
    Language { names: &["chinese", "中文", "mandarin"], words: "", letters: r"\p{Han}" },
    Language { names: &["korean", "한국어"], words: "", letters: r"\p{Hangul}" },
    Language { names: &["russian", "русский"], words: "", letters: r"\p{Cyrillic}" },
];

/// Small words of a language that a sentence has to hold before it counts as written in it.
const LEAST_SMALL_WORDS: usize = 3;

/// The language that a line names.
pub(crate) fn named(text: &str) -> Option<&'static Language> {
    LANGUAGES
        .iter()
        .find(|language| language.names.iter().any(|name| crate::line::contains_phrase(text, name)))
}

impl Language {
    /// Expression for a text in this language.
    pub(crate) fn telling(&self) -> String {
        let small = self.words;
        let several = format!(r"(?i)(?:\b(?:{small})\b[^\n]*?){{{LEAST_SMALL_WORDS}}}");
        match (small.is_empty(), self.letters.is_empty()) {
            (true, _) => format!("[{}]", self.letters),
            (false, true) => several,
            (false, false) => format!("{several}|[{}]", self.letters),
        }
    }

    /// Expression for a text in any other language; only for English, which everybody mixes into theirs.
    pub(crate) fn foreign(&self) -> Option<String> {
        if !self.names.contains(&"english") {
            return None;
        }
        let others: Vec<String> = LANGUAGES.iter().skip(1).map(Language::telling).collect();
        Some(others.join("|"))
    }

    /// Expression for a text in English, for a line that asks for another language.
    fn english() -> String {
        format!(r"(?i)(?:\b(?:{ENGLISH})\b[^\n]*?){{5}}")
    }
}

/// "Answer in German", "write comments in English only", "documentation: English".
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    let text = line.unmask(&line.masked).to_lowercase();
    let language = named(&text)?;
    let says = |words: &[&str]| line.says_any(words);
    let by = |text: String| {
        Condition::Said(Said { by: By::AgentAtEnd, text: Some(text.into()), ..Said::default() })
    };
    let answers = says(&[
        "answer",
        "answers",
        "respond",
        "responds",
        "response",
        "responses",
        "reply",
        "replies",
        "speak",
        "communicate",
        "communication",
        "talk",
        "explain",
        "chat",
        "conversation",
        "antworte",
        "antworten",
    ]);
    let comments = says(&["comment", "comments", "docstring", "docstrings"]);
    let documents = says(&["documentation", "docs", "markdown", "readme"]);
    let wrote = |globs: &[&str], added: String| {
        Condition::Wrote(Wrote {
            paths: crate::language::globs(globs.iter().copied()),
            added: Some(added.into()),
            ..Wrote::default()
        })
    };
    let (expect, forbid): (Vec<Condition>, Vec<Condition>) = if comments || documents {
        let globs: Vec<&str> = if comments { CODE_GLOBS.to_vec() } else { DOC_GLOBS.to_vec() };
        let lead = if comments { r"(?m)(?://|#|/\*|\*|--|\x22\x22\x22)[^\n]*" } else { "" };
        let marked = |expression: &str| format!("{lead}(?:{expression})");
        match language.foreign() {
            Some(foreign) => {
                (vec![wrote(&globs, marked(&language.telling()))], vec![wrote(&globs, marked(&foreign))])
            }
            None => (vec![wrote(&globs, marked(&language.telling()))], Vec::new()),
        }
    } else if answers {
        let wrong = language.foreign().unwrap_or_else(Language::english);
        (vec![by(language.telling())], vec![by(wrong)])
    } else {
        return None;
    };
    Some(Check {
        testable: true,
        family: "language".into(),
        expect: expect.into_iter().map(Expect::one).collect(),
        forbid,
        why: format!("it is written in {}", language.names.first().unwrap_or(&"the named language")),
        ..Check::default()
    })
}
