//! Commits, pushes and branches, read out of git commands and their answers.

use super::Simple;
use crate::text::pattern;

/// A commit that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The message, where the command gives one.
    pub message: Option<String>,
    /// The branch it went to, as far as that is known.
    pub branch: Option<String>,
    /// The command's own text.
    pub text: String,
    /// The files that went into it, as far as that is known.
    pub files: Vec<String>,
    /// The directory of its repository, where the command names another one than the session's.
    pub repository: Option<String>,
}

/// A push that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// The branch that was pushed.
    pub branch: Option<String>,
    /// The command's own text.
    pub text: String,
}

/// A branch that was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branched {
    /// Its name.
    pub name: String,
    /// Where it starts.
    pub from: Option<String>,
    /// Whether that was brought up to date first: not, when the turn went there without a pull; unknown, when it was there already, or
    /// git said that it was up to date with what had been fetched last.
    pub fresh: Option<bool>,
    /// Whether it existed and only got another name.
    pub renamed: bool,
    /// The command's own text.
    pub text: String,
}

pattern!(COMMIT_ANSWER, r"(?m)^\[([^\s\]]+)(?: \(root-commit\))? [0-9a-f]{7,}\]");

/// The branch that git's own answer to a commit names.
pub(crate) fn branch_of_answer(answer: &str) -> Option<String> {
    let found = COMMIT_ANSWER.captures(answer)?.get(1)?.as_str();
    (found != "detached").then(|| found.to_owned())
}

/// Whether git's answer shows that a commit was made.
pub(crate) fn answers_commit(answer: &str) -> bool {
    COMMIT_ANSWER.is_match(answer)
}

pattern!(
    COMMIT_REFUSED,
    r"(?mi)^(?:error|fatal): |nothing to commit|nothing added to commit|no changes added to commit|(?:pre-commit|commit-msg|husky)\b.*\b(?:failed|exited with code [1-9])|\.{3,}Failed$"
);

/// Whether a commit came about: by its exit, or where a pipe hides that by what git and its hooks say.
pub(crate) fn has_committed(failed: bool, hidden: bool, answer: &str) -> bool {
    answers_commit(answer) || !(failed || hidden && COMMIT_REFUSED.is_match(answer))
}

pattern!(
    PULLED,
    r"(?m)^(?:Already up to date\.|Already up-to-date\.|Updating [0-9a-f]+\.\.[0-9a-f]+|Fast-forward|Successfully rebased|Current branch \S+ is up to date\.)"
);
pattern!(NOT_PULLED, r"(?m)^(?:error|fatal): ");

/// Whether a pull came about: by what git says, or else by the exit of the line.
pub(crate) fn has_pulled(failed: bool, answer: &str) -> bool {
    PULLED.is_match(answer) || !failed && !NOT_PULLED.is_match(answer)
}

/// The directory that `git -C` names.
pub(crate) fn directory(simple: &Simple) -> Option<&str> {
    let at = simple.words.iter().position(|word| word == "-C")?;
    simple.words.get(at + 1).map(String::as_str)
}

pattern!(MADE, r"(?m)^ (?:create|delete) mode \d+ (\S+)$");

/// The files that git's own answer to a commit names.
pub(crate) fn files_of_answer(answer: &str) -> Vec<String> {
    let made = MADE.captures_all(answer);
    made.iter().filter_map(|groups| Some(groups.get(1)?.as_str().to_owned())).collect()
}

/// The git subcommand and its arguments, with wrappers and global options stepped over.
pub(crate) fn arguments(simple: &Simple) -> Option<&[String]> {
    const MOST_WRAPPER_WORDS: usize = 3;
    let at = simple
        .words
        .iter()
        .take(MOST_WRAPPER_WORDS)
        .position(|word| word == "git" || word.ends_with("/git"))?;
    let mut rest = simple.words.get(at + 1..)?;
    loop {
        match rest.first().map(String::as_str) {
            Some("-C" | "-c" | "--git-dir" | "--work-tree") => rest = rest.get(2..)?,
            Some(option) if option.starts_with('-') => rest = rest.get(1..)?,
            _ => return Some(rest),
        }
    }
}

/// The message of a `git commit`.
pub(crate) fn commit_message(arguments: &[String], heredoc: Option<&str>) -> Option<String> {
    let mut message: Vec<&str> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if let Some(inline) = word.strip_prefix("--message=") {
            message.push(inline);
        } else if word == "--message"
            || (word.starts_with('-') && !word.starts_with("--") && word.ends_with('m'))
        {
            message.extend(words.next().map(String::as_str));
        } else if (word == "-F" || word == "--file") && words.next().is_some_and(|file| file == "-") {
            message.extend(heredoc);
        }
    }
    (!message.is_empty()).then(|| message.join("\n\n").trim().to_owned())
}

/// Name and start of a branch that this git command creates.
pub(crate) fn created_branch(arguments: &[String]) -> Option<(String, Option<String>)> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let after = |flags: &[&str]| words.iter().position(|word| flags.contains(word));
    // Short options may stand together: `-qb`. The one that takes the name is the last.
    let bundled = |letters: &[char]| {
        words
            .iter()
            .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with(letters))
    };
    match words.first().copied()? {
        "checkout" | "switch" => {
            let letters: &[char] = if words.first() == Some(&"switch") { &['c', 'C'] } else { &['b', 'B'] };
            let at = bundled(letters).or_else(|| after(&["--create", "--force-create", "--orphan"]))?;
            let name = words.get(at + 1)?;
            let from = words.get(at + 2).filter(|word| !word.starts_with('-'));
            Some(((*name).to_owned(), from.map(|from| (*from).to_owned())))
        }
        "worktree" if words.get(1) == Some(&"add") => {
            let at = after(&["-b", "-B"])?;
            Some(((*words.get(at + 1)?).to_owned(), words.get(at + 3).map(|from| (*from).to_owned())))
        }
        "branch" if bundled(&['m', 'M']).is_some() || after(&["--move"]).is_some() => {
            let name = words.iter().skip(1).rfind(|word| !word.starts_with('-'))?;
            Some(((*name).to_owned(), None))
        }
        "branch" => {
            let name = words.get(1).filter(|word| !word.starts_with('-'))?;
            Some(((*name).to_owned(), words.get(2).map(|from| (*from).to_owned())))
        }
        _ => None,
    }
}

/// The branch that this git command goes to, without creating it.
pub(crate) fn switched_branch(arguments: &[String]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if !matches!(words.first().copied()?, "checkout" | "switch") || words.contains(&"--") {
        return None;
    }
    let name = words.get(1..)?.iter().find(|word| !word.starts_with('-') || **word == "-")?;
    let looks_like_file = name.contains('.') && !name.contains('/') || *name == ".";
    (!looks_like_file && words.len() <= 3).then(|| (*name).to_owned())
}

/// The branch that a `git push` names, if it names one.
pub(crate) fn pushed_branch(arguments: &[String]) -> Option<String> {
    let operands: Vec<&String> = arguments.iter().skip(1).filter(|word| !word.starts_with('-')).collect();
    let target = operands.get(1)?;
    let target = target.rsplit(':').next().unwrap_or(target).trim_start_matches('+');
    (target != "HEAD").then(|| target.trim_start_matches("refs/heads/").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::split;

    fn first(line: &str) -> Simple {
        split(line).remove(0)
    }

    #[test]
    fn messages_are_read_in_all_their_forms() {
        for (line, expect) in [
            ("git commit -m 'fix: a'", Some("fix: a")),
            ("git commit -am \"feat(x): b\" -m body", Some("feat(x): b\n\nbody")),
            ("rtk git -C sub commit --message='c'", Some("c")),
            ("git commit --amend --no-edit", None),
            ("git commit -F - <<EOF\nd\nEOF", Some("d")),
        ] {
            let simple = first(line);
            let arguments = arguments(&simple).unwrap();
            assert_eq!(commit_message(arguments, simple.heredoc.as_deref()).as_deref(), expect, "{line}");
        }
    }

    #[test]
    fn created_branches_are_recognised() {
        for (line, expect) in [
            ("git checkout -b feat/x main", Some(("feat/x", Some("main")))),
            ("git switch -c fix/y", Some(("fix/y", None))),
            ("git worktree add -b z ../z origin/main", Some(("z", Some("origin/main")))),
            ("git switch -qc fix/q", Some(("fix/q", None))),
            ("git checkout -qb feat/q origin/main", Some(("feat/q", Some("origin/main")))),
            ("git branch -m old new", Some(("new", None))),
            ("git branch -M main", Some(("main", None))),
            ("git checkout main", None),
            ("git branch --show-current", None),
        ] {
            let simple = first(line);
            let got = created_branch(arguments(&simple).unwrap());
            assert_eq!(got.as_ref().map(|(name, from)| (name.as_str(), from.as_deref())), expect, "{line}");
        }
    }

    #[test]
    fn the_answer_of_git_names_the_branch() {
        assert_eq!(branch_of_answer("hooks ran\n[feat/x 1a2b3c4] msg\n").as_deref(), Some("feat/x"));
        assert_eq!(branch_of_answer("[STARTED] Backing up"), None);
    }
}
