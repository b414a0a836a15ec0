//! The words that open an order, and their forms: `data/words/orders.yaml` and the verbs of rules.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::reading::words;

/// What is known of orders beside the verbs whose kind of act is known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Orders {
    /// Words that turn or urge what follows.
    small: HashSet<String>,
    /// Verbs of rules that are as often something else in what a person says.
    not: HashSet<String>,
    verbs: HashSet<String>,
    /// Verbs by those of their participles that do not end in `-ed`.
    participles: HashMap<String, String>,
}

// A test makes sure that it can be read.
static ORDERS: LazyLock<Orders> = LazyLock::new(|| {
    let mut orders = Orders::load().unwrap_or_default();
    let known = words().verbs().filter(|verb| !orders.not.contains(*verb)).cloned().collect::<Vec<_>>();
    orders.verbs.extend(known);
    orders
});

impl Orders {
    fn load() -> Result<Self, String> {
        subcortex_yaml::from_str(include_str!("../data/words/orders.yaml"))
            .map_err(|problem| problem.to_string())
    }
}

/// Whether this word can open an order.
pub(crate) fn is_order_word(word: &str) -> bool {
    ORDERS.verbs.contains(word) || ORDERS.small.contains(word)
}

/// `adding` → `add`; nothing for a word that is no such form of a verb of rules.
pub(crate) fn base_of_gerund(word: &str) -> Option<String> {
    if is_order_word(word) {
        return None;
    }
    let stem = word.strip_suffix("ing")?;
    let undoubled = stem.char_indices().next_back().map_or("", |(end, _)| stem.get(..end).unwrap_or(""));
    [stem.to_owned(), format!("{stem}e"), undoubled.to_owned()]
        .into_iter()
        .find(|candidate| is_order_word(candidate))
}

/// `edited` → `edit`, `written` → `write`; nothing for a word that is no such form of a verb of rules.
pub(crate) fn base_of_participle(word: &str) -> Option<String> {
    if let Some(verb) = ORDERS.participles.get(word) {
        return Some(verb.clone());
    }
    let root = word.strip_suffix("ed")?;
    let undoubled: String = root.chars().take(root.chars().count().saturating_sub(1)).collect();
    let candidates = [
        root.to_owned(),
        format!("{root}e"),
        root.strip_suffix('i').map(|stem| format!("{stem}y")).unwrap_or_default(),
        undoubled,
    ];
    candidates.into_iter().find(|candidate| is_order_word(candidate))
}

/// Whether a word is a verb of rules in any of the forms in which orders have it: `add`, `adding`, `added`.
pub(crate) fn is_verb(word: &str) -> bool {
    is_order_word(word) || base_of_gerund(word).is_some() || base_of_participle(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_orders_can_be_read_and_stand_in_one_list_only() {
        let orders = Orders::load().expect("the data can be read");
        let twice: Vec<&String> = words().verbs().filter(|verb| orders.verbs.contains(*verb)).collect();
        assert!(twice.is_empty(), "verbs.yaml has {twice:?}, too");
        let unknown: Vec<&String> =
            orders.not.iter().filter(|verb| !words().verbs().any(|known| known == *verb)).collect();
        assert!(unknown.is_empty(), "verbs.yaml has no {unknown:?}");
        assert!(orders.participles.values().all(|verb| is_order_word(verb)));
    }

    #[test]
    fn a_verb_is_known_in_its_forms() {
        for (word, gerund, participle) in [
            ("adding", Some("add"), None),
            ("writing", Some("write"), None),
            ("committing", Some("commit"), None),
            ("edited", None, Some("edit")),
            ("written", None, Some("write")),
            ("copied", None, Some("copy")),
            ("committed", None, Some("commit")),
            ("add", None, None),
            ("thing", None, None),
        ] {
            assert_eq!(base_of_gerund(word).as_deref(), gerund, "{word}");
            assert_eq!(base_of_participle(word).as_deref(), participle, "{word}");
        }
    }
}
