//! The tools of an order, as Claude Code names them.

use std::fmt;

/// Tools that change files in place of a shell.
const WRITING: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
/// Tools that read files. Inside the working directories they need no permission.
const READING: [&str; 5] = ["Read", "Grep", "Glob", "LS", "NotebookRead"];

/// The rule that lets such a tool change what is below the working directory.
pub(crate) const EDITS_ITS_OWN: &str = "Edit(./**)";

/// One entry of [`super::Order::tools`]: a name, perhaps with what it may be used for in parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    name: String,
    scope: Option<String>,
}

impl Tool {
    /// Reads an entry. A wrong one is an error and not left out, because a run with other tools than those that were
    /// meant is not the run that was ordered.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, scope) = match text.trim().split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')').ok_or_else(|| problem(text))?)),
            None => (text.trim(), None),
        };
        // Words in small letters such as `default` mean sets of tools to the CLI.
        let is_name = |name: &str| {
            (name.starts_with(|first: char| first.is_ascii_uppercase()) || name.starts_with("mcp__"))
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        let is_scope = |scope: &str| !scope.is_empty() && !scope.contains(char::is_control);
        if !is_name(name) || !scope.is_none_or(is_scope) {
            return Err(problem(text));
        }
        Ok(Self { name: name.to_owned(), scope: scope.map(str::to_owned) })
    }

    /// All entries.
    pub(crate) fn parse_all(texts: &[String]) -> Result<Vec<Self>, String> {
        texts.iter().map(|text| Self::parse(text)).collect()
    }

    /// The name alone.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The rule that permits it; `None` where none is needed. A tool that changes files is bound to the working
    /// directory, because its bare name would permit every path.
    pub(crate) fn rule(&self) -> Option<String> {
        match &self.scope {
            Some(_) => Some(self.to_string()),
            None if READING.contains(&self.name.as_str()) => None,
            None if WRITING.contains(&self.name.as_str()) => Some(EDITS_ITS_OWN.into()),
            None => Some(self.name.clone()),
        }
    }

    /// Whether it can change a file.
    pub(crate) fn writes(&self) -> bool {
        WRITING.contains(&self.name.as_str()) || self.name == "Bash"
    }
}

fn problem(text: &str) -> String {
    format!(
        "`{}` is not the name of a tool: write a name such as `Read`, or a name with a rule such as `Bash(git log:*)`",
        super::words::name(text)
    )
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Some(scope) => write!(f, "{}({scope})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str, rule: Option<&str>, writes: bool) {
        let tool = Tool::parse(text).unwrap();
        assert_eq!((tool.name(), tool.rule().as_deref(), tool.writes()), (name, rule, writes));
    }

    #[test]
    fn a_tool_is_permitted_no_more_than_it_was_given() {
        check("Read", "Read", None, false);
        check("Write", "Write", Some("Edit(./**)"), true);
        check("Edit(./notes/**)", "Edit", Some("Edit(./notes/**)"), true);
        check("Bash(git log:*)", "Bash", Some("Bash(git log:*)"), true);
        check(" WebFetch ", "WebFetch", Some("WebFetch"), false);
        check("mcp__board__put", "mcp__board__put", Some("mcp__board__put"), false);
    }

    #[test]
    fn what_is_no_tool_is_refused() {
        let wrong = [
            "",
            "Read,Bash",
            "Bash(",
            "Bash()",
            "Read Bash",
            "--tools",
            "default",
            "Bash(a\nb)",
            "Bash(x) y",
            "*",
        ];
        for text in wrong {
            assert!(Tool::parse(text).is_err(), "{text}");
        }
    }
}
