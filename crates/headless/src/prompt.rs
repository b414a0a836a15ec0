//! What an agent is asked.

use subcortex_mind::{Said, Speaker};

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
    use super::*;

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
