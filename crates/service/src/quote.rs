//! Paths as words of a unit file.
//!
//! systemd splits the value of a setting into words. Between double quotes everything is itself but `\`, which escapes
//! what follows, and `%`, which begins a specifier unless it is doubled. In commands `$` begins a variable as well;
//! the commands of these units switch that off with a `:` before the program.

/// A path as one word, the same in commands and in lists of paths.
pub(crate) fn quoted(path: &str) -> String {
    let mut word = String::with_capacity(path.len() + 2);
    word.push('"');
    for character in path.chars() {
        match character {
            '"' | '\\' => word.extend(['\\', character]),
            '%' => word.push_str("%%"),
            other => word.push(other),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: &str) {
        assert_eq!(quoted(path), expect);
    }

    #[test]
    fn every_path_is_one_word() {
        check("/home/you/.subcortex", r#""/home/you/.subcortex""#);
        check("/my home/100%/a:b $X", r#""/my home/100%%/a:b $X""#);
        check(r#"/it's "me""#, r#""/it's \"me\"""#);
        check(r"/a\b\", r#""/a\\b\\""#);
    }
}
