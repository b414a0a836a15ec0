//! What an agent reads on standard input.

use serde_json::Value;
use subcortex_mind::{Said, Speaker};

use crate::subagents::Subagent;

/// The prompt for `claude`. A text that begins with `/` would be taken for one of its commands, and no model would see it.
pub(crate) fn for_claude(prompt: &str) -> String {
    if prompt.trim_start().starts_with('/') { format!("The request:\n{prompt}") } else { prompt.to_owned() }
}

/// The prompt for `codex`, which knows neither subagents of this kind nor a schema without a file.
pub(crate) fn for_codex(prompt: &str, subagents: &[Subagent], schema: Option<&Value>) -> String {
    let mut text = prompt.to_owned();
    if !subagents.is_empty() {
        text.push_str(
            "\n\n# Subagents\n\nThere are no subagents here. Where one is called for, do its part yourself, as it says below.\n",
        );
        for subagent in subagents {
            text.push_str(&format!("\n## {}\n\n{}\n", subagent.name, subagent.prompt));
        }
    }
    if let Some(schema) = schema {
        text.push_str(&format!(
            "\n\nYour last message must be one JSON object and nothing else. It must fit this JSON schema:\n{schema}\n"
        ));
    }
    text
}

/// A conversation as one text. A single piece stays as it is.
pub(crate) fn conversation(said: &[Said]) -> String {
    if let [only] = said {
        return only.text.clone();
    }
    let piece = |said: &Said| match said.by {
        Speaker::Us => format!("# You were told\n\n{}\n", said.text),
        Speaker::Model => format!("# You answered\n\n{}\n", said.text),
    };
    said.iter().map(piece).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_of_the_agent_is_a_text_like_any_other() {
        assert_eq!(for_claude("/help"), "The request:\n/help");
        assert_eq!(for_claude(" \n/help"), "The request:\n \n/help");
        assert_eq!(for_claude("see /etc"), "see /etc");
    }

    #[test]
    fn codex_is_told_the_schema_in_words() {
        let text = for_codex("Judge.", &[], Some(&json!({"type": "object"})));
        assert!(text.starts_with("Judge.\n") && text.contains(r#"{"type":"object"}"#), "{text}");
        assert_eq!(for_codex("Judge.", &[], None), "Judge.");
    }

    #[test]
    fn a_conversation_says_who_said_what() {
        let said = |by, text: &str| Said { by, text: text.into() };
        assert_eq!(conversation(&[said(Speaker::Us, "a")]), "a");
        let two = [said(Speaker::Us, "a"), said(Speaker::Model, "b"), said(Speaker::Us, "c")];
        assert_eq!(
            conversation(&two),
            "# You were told\n\na\n\n# You answered\n\nb\n\n# You were told\n\nc\n"
        );
    }
}
