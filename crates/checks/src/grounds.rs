//! What a line itself names: the ground that somebody else's reading of it has to stand on.

use crate::reading::{compile, files_named};
use crate::text::{self, pattern};

/// What a line names, and which side it takes.
#[derive(Debug, Clone)]
pub struct Grounds {
    lower: String,
    stems: Vec<String>,
    against: Vec<String>,
    denies: bool,
    globs: Vec<&'static str>,
}

pattern!(
    DENIES,
    r"(?i)\b(?:no|not|never|none|nobody|nothing|cannot|\w+n't|avoid|without|instead|rather|over|only|alone|ban(?:ned)?|forbid(?:den)?|prohibit(?:ed)?|refrain|stop|skip|except|off-limits|read-only|untouched)\b"
);

impl Grounds {
    /// Reads a line.
    pub fn of(line: &str) -> Self {
        let stems = stems_of(line);
        let against = compile(line, &[]).cues.against.iter().flat_map(|stem| stems_of(stem)).collect();
        Self {
            lower: line.to_lowercase(),
            denies: DENIES.is_match(line),
            globs: files_named(&stems),
            against,
            stems,
        }
    }

    /// Whether a literal stands in the line: as it is, but for its case, and as words of its own.
    pub fn names(&self, literal: &str) -> bool {
        let literal = literal.trim().to_lowercase();
        !literal.is_empty()
            && self.lower.match_indices(&literal).any(|(at, _)| {
                let before = self.lower.get(..at).and_then(|head| head.chars().next_back());
                let behind = self.lower.get(at + literal.len()..).unwrap_or("");
                let behind = behind.trim_start_matches(['.', '!', '?', ':']).chars().next();
                parts_words(before) && parts_words(behind)
            })
    }

    /// Whether a word stands in the line, in whatever form: `commit` in "committing".
    pub fn means(&self, word: &str) -> bool {
        self.stems.contains(&text::stem(word))
    }

    /// The files that nouns of the line stand for: `*.sql` for "queries".
    pub fn globs(&self) -> &[&'static str] {
        &self.globs
    }

    /// Whether a path or glob is the line's own, or stands for one of its nouns.
    pub fn names_path(&self, glob: &str) -> bool {
        if self.globs.contains(&glob) || self.names(glob) {
            return true;
        }
        let below = glob.strip_prefix("**/").unwrap_or(glob);
        let below = ["/**", "/*", "/"].iter().find_map(|end| below.strip_suffix(end)).unwrap_or(below);
        let is_plain = !below.contains(['*', '?', '{', '}', '<', '>', '[', ']']);
        is_plain && (self.names(below) || self.names(&format!("{below}/")))
    }

    /// Whether the line can be read as being against this.
    pub fn can_forbid(&self, literal: &str) -> bool {
        let named = stems_of(literal);
        if self.against.is_empty() {
            return self.denies;
        }
        named.iter().any(|stem| self.against.contains(stem)) || self.is_denied(literal)
    }

    /// Whether a word that denies stands shortly before it: "`a` over `b`", "never call `b`".
    fn is_denied(&self, literal: &str) -> bool {
        const WORDS_BEFORE: usize = 3;
        let literal = literal.trim().to_lowercase();
        !literal.is_empty()
            && self.lower.match_indices(&literal).any(|(at, _)| {
                let before = self.lower.get(..at).unwrap_or("").split_whitespace().rev();
                before.take(WORDS_BEFORE).any(|word| DENIES.is_match(word))
            })
    }

    /// Whether the line can be read as asking for this.
    pub fn can_ask_for(&self, literal: &str) -> bool {
        let named = stems_of(literal);
        self.against.is_empty() || !named.iter().all(|stem| self.against.contains(stem))
    }
}

/// The expression that finds exactly this text.
pub fn expression_for(literal: &str) -> String {
    regex::escape(literal)
}

fn stems_of(line: &str) -> Vec<String> {
    let words = text::words(line).into_iter().chain(text::parts(line));
    words.map(|word| text::stem(&word)).collect()
}

/// Whether a word ends here: at the end of the line, a blank, a quote, a bracket or a comma.
fn parts_words(c: Option<char>) -> bool {
    c.is_none_or(|c| {
        c.is_whitespace()
            || matches!(c, '`' | '\'' | '"' | '“' | '”' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_denial_can_be_forbidden() {
        let grounds = Grounds::of("- Use `fab!()` over `let()` and never `before(:all)` to set up records.");
        assert!(grounds.can_forbid("let()") && grounds.can_forbid("before(:all)"));
        assert!(!Grounds::of("- Use `fab!()` to set up records.").can_forbid("fab!()"));
    }

    #[test]
    fn a_literal_stands_in_a_line_as_it_is_or_not_at_all() {
        let line = "- Once migrations in `apps/api/` were touched, kick off `foo-sync --all`, not Bar.";
        let grounds = Grounds::of(line);
        for literal in ["foo-sync", "foo-sync --all", "--all", "bar", "apps/api/", "Migrations"] {
            assert!(grounds.names(literal), "{literal}");
        }
        for literal in ["", " ", "foo", "sync", "foo-sync --al", "api", "migration", "rm", "all"] {
            assert!(!grounds.names(literal), "{literal}");
        }
        for glob in ["apps/api/**", "**/apps/api/*", "apps/api", "**/*migration*/**"] {
            assert!(grounds.names_path(glob), "{glob}");
        }
        for glob in ["**", "*", "/", "", "apps/**", "apps/*/**", "*.rs", "**/*", "~/.ssh/**", "a*"] {
            assert!(!grounds.names_path(glob), "{glob}");
        }
    }

    #[test]
    fn a_line_takes_one_side() {
        let grounds = Grounds::of("- Use `rg`, not `grep`.");
        assert!(grounds.can_ask_for("rg") && grounds.can_forbid("grep"));
        assert!(!grounds.can_ask_for("grep") && !grounds.can_forbid("rg"));
        let plain = Grounds::of("- Schema work ends with `atlas diff`.");
        assert!(plain.can_ask_for("atlas diff") && !plain.can_forbid("atlas diff"));
        assert!(plain.means("schemas") && !plain.means("commit"));
    }

    #[test]
    fn odd_lines_and_literals_do_no_harm() {
        let odd = ["", "\u{0}", "İ`ẞ", "``", "§0§", "- ", "𝒳 not 𝒴", "a\u{301}", "((((", "*** ** *"];
        for line in odd {
            let grounds = Grounds::of(line);
            for literal in odd {
                let _said = (grounds.names(literal), grounds.names_path(literal));
                let _sides = (grounds.can_forbid(literal), grounds.can_ask_for(literal));
            }
        }
    }
}
