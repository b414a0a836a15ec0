//! What only tells how something is: "`x` remains the default", "a local `x` was slower". It asks for nothing, whatever it names.

use crate::text::pattern;

// A name, or a few words about it, and then a verb in the third person.
pattern!(
    TELLS,
    r"^(?:(?:the|a|an|this|our|one|each|every|local|current) )*(?:[a-z-]+ ){0,2}?§\d+§(?: [a-z-]+){0,3}? (?:remains|stays|does(?:n't| not)|do(?:n't| not)|did(?:n't| not)|implies|was|were|depends|becomes|means|fails|works|knows|covers|describes|records|tells|makes|gives|takes|matches|expects)\b"
);
// "Reducing `x` calls doesn't always help".
pattern!(DENIES, r"^[a-z-]+ing .*?\b(?:does|do|did)(?:n't| not) ");
pattern!(
    URGES,
    r"\b(?:must|should|shall|never|required|mandatory|forbidden|allowed|make sure|ensure|please)\b"
);

// "Changes to `x` in one module may require updates in others".
pattern!(
    MAY,
    r"^(?:any |some )?(?:changes?|edits?|updates?|modifications?) (?:to|in|of) [^,:;]* (?:may|might|can|could) "
);
pattern!(ORDERS, r"^(?:always|also|do not|don't|avoid|only|not|no) ");

/// Whether a clause only tells something.
pub(super) fn tells(text: &str) -> bool {
    let (act, _) = super::grammar::act_of(text);
    let orders = ORDERS.is_match(text) || (!act.is_empty() && !act.ends_with("ing"));
    let told = TELLS.is_match(text) || DENIES.is_match(text);
    MAY.is_match(text) || (told && !orders && !URGES.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_tells_asks_for_nothing() {
        for text in [
            "§0§ remains the standard fragment for most cases",
            "§0§ does not reliably honor draft status",
            "reducing §0§ calls doesn't always improve wall time",
            "a local §0§ benchmark row was slower on simple shapes",
            "changes to §0§ in one module may require updates in others",
            "§0§ implies released code with users",
        ] {
            assert!(tells(text), "{text}");
        }
        for text in [
            "§0§ must not be used",
            "do not use §0§",
            "use §0§ when it works",
            "always use §0§ for agent works",
            "§0§ over §1§",
            "§0§ stays, which should never change",
            "running §0§ does not replace §1§, so you must run both",
        ] {
            assert!(!tells(text), "{text}");
        }
    }
}
