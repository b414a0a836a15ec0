//! "Did you mean": the known word that an unknown one was probably meant to be.

/// How alike two words have to be, from 0 (nothing) to 1 (equal). At 0.82 a swapped, missing or extra
/// letter and a left-out ending still match, and words that only share a few letters do not.
const CLOSE_ENOUGH: f64 = 0.82;

/// The known word nearest to `word`, if one is close enough.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = plain(word);
    known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &plain(candidate)), *candidate))
        .filter(|(likeness, _)| *likeness >= CLOSE_ENOUGH)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

/// Lets `maxParallel` and `max-parallel` meet `max_parallel`.
fn plain(word: &str) -> String {
    word.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KEYS: [&str; 6] =
        ["cadence", "cooldown_ticks", "enabled", "max_duration_ms", "max_tasks_per_run", "wake_on"];

    #[track_caller]
    fn check(word: &str, expect: Option<&str>) {
        assert_eq!(nearest(word, &KEYS), expect, "{word}");
    }

    #[test]
    fn a_slip_or_a_left_out_ending_finds_the_key() {
        check("cadnce", Some("cadence"));
        check("Cadence", Some("cadence"));
        check("cooldown", Some("cooldown_ticks"));
        check("cooldownTicks", Some("cooldown_ticks"));
        check("enable", Some("enabled"));
        check("max-duration-ms", Some("max_duration_ms"));
        check("max_duration", Some("max_duration_ms"));
        check("wakeon", Some("wake_on"));
    }

    #[test]
    fn another_word_finds_nothing() {
        check("colour", None);
        check("model", None);
        check("", None);
        check("x", None);
        check("日本", None);
    }
}
