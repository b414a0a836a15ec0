//! Which words of a user message are a person's.

use crate::transcript::counts::skipped;
use crate::transcript::markup::{self, Tag, leading_element};

/// What an editor or an app puts between what it knows and the words. What it knows may hold it too, and so may what a person pastes:
/// of several nobody knows which one counts.
const REQUESTS: [&str; 2] = ["## My request for Codex:", "## My request:"];
/// Headings of an editor below which there are names only.
const NAMING: [&str; 3] = ["# Context from my IDE setup:", "## Active file:", "## Open tabs:"];
/// Some editors begin a text with it.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// How the project's instructions begin when the program hands them over as a user message.
const INSTRUCTIONS: &str = "# AGENTS.md instructions";
/// How the summary of an earlier conversation begins; a model wrote it.
const SUMMARY: &str = "Another language model started to solve this problem and produced a summary";
/// How further texts begin that the program sends in the person's place: those of its commands, and of what goes on by itself.
const OWN_TEXTS: [&str; 8] = [
    "## Memory Writing Agent:",
    "A previous agent produced the plan below to accomplish the user's task.",
    "PLEASE IMPLEMENT THIS PLAN:",
    "Review the current code changes (staged, unstaged, and untracked files)",
    "The following is the Codex agent history whose request action you are assessing",
    "Generate a file named AGENTS.md that serves as a contributor guide",
    "Continue working toward the active thread goal.",
    "User initiated a review task. Here's the full review output",
];
/// How the two first lines of what a schedule sends begin.
const AUTOMATION: [&str; 2] = ["Automation:", "Automation ID:"];
/// Elements of the program, some with names that could be anybody's.
const MACHINES: [&str; 13] = [
    "INSTRUCTIONS",
    "apps",
    "environment_context",
    "heartbeat",
    "hook_prompt",
    "permissions",
    "send_user_message_question_reply",
    "skill",
    "skills",
    "subagent_notification",
    "turn_aborted",
    "user_instructions",
    "user_shell_command",
];

/// What a user message turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Prompt {
    /// A person's words.
    Words {
        text: String,
        /// What stands in front of them may hold the mark behind which they begin.
        is_doubtful: bool,
    },
    /// A command that a person ran in the agent's shell.
    Shell(String),
    /// Nobody who counts.
    Nobody(&'static str),
}

/// Judges a user message.
pub(super) fn judge(text: &str) -> Prompt {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    let Some((text, is_doubtful)) = request_in(markup::unpadded(markup::behind_asides(text))) else {
        return Prompt::Nobody(skipped::WRAPPER);
    };
    let text = markup::unpadded(markup::before_asides(markup::behind_asides(text)));
    let mut openings = OWN_TEXTS.iter().chain(&[INSTRUCTIONS, SUMMARY]);
    if openings.any(|opening| text.trim_start().starts_with(opening)) || is_automation(text) {
        return Prompt::Nobody(skipped::WRAPPER);
    }
    if let Some(element) = leading_element(text.trim_start()) {
        if element.name == "user_shell_command" {
            let command = markup::element_named(element.inner, "command").unwrap_or(element.inner.trim());
            return Prompt::Shell(command.to_owned());
        }
        if MACHINES.contains(&element.name) || matches!(Tag::of(element.name), Tag::Machine | Tag::MadeUp) {
            return Prompt::Nobody(skipped::WRAPPER);
        }
    }
    let words = without_images(before_instructions(markup::before_machines(text, &MACHINES)));
    match markup::unpadded(&words) {
        "" if text.is_empty() => Prompt::Nobody(skipped::EMPTY),
        "" => Prompt::Nobody(skipped::IMAGE_ONLY),
        words => Prompt::Words { text: words.to_owned(), is_doubtful },
    }
}

/// Whether a schedule sends it.
fn is_automation(text: &str) -> bool {
    let mut lines = text.trim_start().lines();
    AUTOMATION.iter().all(|opening| lines.next().is_some_and(|line| line.starts_with(opening)))
}

/// What stands in front of the project's instructions.
fn before_instructions(text: &str) -> &str {
    let found = text.match_indices(INSTRUCTIONS).find(|(at, _)| text[..*at].ends_with('\n'));
    &text[..found.map_or(text.len(), |(at, _)| at)]
}

/// The words behind what an editor or an app put in front of them; `None` if there is nothing but that, or if nobody knows where they
/// begin. Said with it is whether what stands in front may hold a mark of its own.
fn request_in(text: &str) -> Option<(&str, bool)> {
    let has_context = text.lines().next().is_some_and(is_context_heading);
    let begins_line = |at: usize| at == 0 || text[..at].ends_with('\n');
    let marks = REQUESTS.iter().flat_map(|mark| text.match_indices(mark));
    let found: Vec<_> = marks.filter(|(at, _)| has_context || begins_line(*at)).take(2).collect();
    match found[..] {
        [] => (!has_context).then_some((text, false)),
        [(at, mark)] if begins_line(at) && (has_context || is_plain(&text[..at])) => {
            let is_doubtful = !text[..at].lines().all(is_name);
            Some((markup::unpadded(&text[at + mark.len()..]), is_doubtful))
        }
        _ => None,
    }
}

/// Whether a line of what an editor knows only names something. A name has no line of its own to forge.
fn is_name(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with("- ") || NAMING.iter().any(|heading| line.starts_with(heading))
}

/// Whether nothing in these lines looks like the beginning of a paste, which would go on behind them.
fn is_plain(front: &str) -> bool {
    let is_plain_start = |line: &str| {
        let line = line.strip_prefix("- ").unwrap_or(line).trim_start_matches('#').trim_start();
        line.is_empty() || line.starts_with(char::is_alphanumeric)
    };
    front.lines().all(is_plain_start) && !front.contains(['"', '`', '<'])
}

/// Whether a first line is the heading of what the program knows: `# Files mentioned by the user:`. A person who begins with
/// such a heading is not told from it.
fn is_context_heading(line: &str) -> bool {
    (line.starts_with("# ") || line.starts_with("## ")) && line.trim_end().ends_with(':')
}

/// Takes out the elements that stand for pictures.
fn without_images(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("<image") {
        match leading_element(&rest[at..]).filter(|element| element.name == "image") {
            Some(element) => {
                out.push_str(&rest[..at]);
                rest = element.rest;
            }
            None => {
                out.push_str(&rest[..at + 1]);
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Prompt {
        Prompt::Words { text: text.to_owned(), is_doubtful: false }
    }

    fn perhaps_said(text: &str) -> Prompt {
        Prompt::Words { text: text.to_owned(), is_doubtful: true }
    }

    #[track_caller]
    fn check(text: &str, expect: Prompt) {
        assert_eq!(judge(text), expect, "{text}");
    }

    #[test]
    fn what_the_program_puts_in_the_persons_place_is_left_out() {
        for text in [
            "<environment_context>\n<cwd>/p</cwd></environment_context>",
            "<user_instructions>be short</user_instructions>",
            "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>x</INSTRUCTIONS>",
            "<turn_aborted>stopped</turn_aborted>",
            "Another language model started to solve this problem and produced a summary of it.\nuse npm",
            "<permissions instructions>x</permissions instructions>",
            "PLEASE IMPLEMENT THIS PLAN:\n# Plan\n\n## Steps\n- fix it\n\nuse npm\n",
            "Automation: x\nAutomation ID: y\n\nuse npm",
            "Review the current code changes (staged, unstaged, and untracked files) and provide findings.\nuse npm",
        ] {
            check(text, Prompt::Nobody(skipped::WRAPPER));
        }
    }

    #[test]
    fn the_words_behind_an_editors_context_stay() {
        check(
            "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nrename it\n<image></image>",
            said("rename it"),
        );
        for heading in
            ["# Files mentioned by the user:", "# Browser comments:", "## Referenced chats with Codex:"]
        {
            for mark in REQUESTS {
                check(&format!("{heading}\n\nuse npm\n\n{mark}\nrename it"), perhaps_said("rename it"));
            }
            check(&format!("{heading}\n\nuse npm"), Prompt::Nobody(skipped::WRAPPER));
        }
        check("a file\n\n## My request:\nrename it", perhaps_said("rename it"));
        check("<system_instruction>x</system_instruction>\n\nfix it", said("fix it"));
        check("# Context from my IDE setup:\n\n## Open tabs:\n- a.rs", Prompt::Nobody(skipped::WRAPPER));
        check("explain `## My request for Codex:` to me", said("explain `## My request for Codex:` to me"));
    }

    #[test]
    fn a_mark_that_a_selection_may_hold_does_not_say_where_the_words_begin() {
        let context = "# Context from my IDE setup:\n\n## Active selection of the file:\n";
        check(&format!("{context}## My request for Codex:\nuse npm"), perhaps_said("use npm"));
        check(&format!("{context}a ## My request for Codex: use npm"), Prompt::Nobody(skipped::WRAPPER));
        check(&format!("\u{feff}{context}use npm"), Prompt::Nobody(skipped::WRAPPER));
    }

    #[test]
    fn of_several_marks_of_a_request_none_counts() {
        for text in [
            "# Context from my IDE setup:\n\n## Active selection:\n## My request for Codex:\nuse npm\n\n## My request for Codex:\nrename it",
            "# Context from my IDE setup:\n\n## My request for Codex:\nwhy?\n```\n## My request:\nuse npm\n```",
            "# Context from my IDE setup:\n\n## My request for Codex:\nwhy?\n> ## My request for Codex: use npm",
            "what does this say?\n```\n## My request:\nuse npm\n```",
        ] {
            check(text, Prompt::Nobody(skipped::WRAPPER));
        }
    }

    #[test]
    fn a_picture_alone_has_no_words_and_a_shell_line_is_a_command() {
        check("<image name=[Image #1]>\n</image>", Prompt::Nobody(skipped::IMAGE_ONLY));
        check("an <imagemap> is not a picture", said("an <imagemap> is not a picture"));
        check(
            "<user_shell_command>\n<command>\nls -l\n</command>\n<result>a</result>\n</user_shell_command>",
            Prompt::Shell("ls -l".into()),
        );
    }
}
