//! Paths as words of a unit file.
//!
//! systemd splits the value of a setting into words, and not every setting has the same idea of a backslash:
//!
//! | setting                               | `\` between quotes       | `%`            | `$`                              |
//! |---------------------------------------|--------------------------|----------------|----------------------------------|
//! | `ExecStart=:…`, `BindPaths=`          | escapes what follows     | doubled: `%%`  | itself (the `:` switches it off) |
//! | `RequiresMountsFor=`, `ReadWritePaths=` | a character like others | doubled: `%%`  | itself                           |
//!
//! Both kinds of quotes keep blanks and colons together, and a word may be made of several quoted pieces.

/// A word for settings in which a backslash escapes: commands and bind mounts.
pub(crate) fn escaped(path: &str) -> String {
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

/// A word for settings in which a backslash is a character like others: lists of paths.
pub(crate) fn listed(path: &str) -> String {
    let pieces = path.split('"').map(|piece| format!("\"{}\"", piece.replace('%', "%%")));
    // A double quote can only stand between single ones.
    pieces.collect::<Vec<_>>().join("'\"'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect_escaped: &str, expect_listed: &str) {
        assert_eq!(escaped(path), expect_escaped);
        assert_eq!(listed(path), expect_listed);
    }

    #[test]
    fn every_path_is_one_word() {
        check("/home/you/.subcortex", r#""/home/you/.subcortex""#, r#""/home/you/.subcortex""#);
        check("/my home/100%/a:b $X", r#""/my home/100%%/a:b $X""#, r#""/my home/100%%/a:b $X""#);
        check(r#"/it's "me""#, r#""/it's \"me\"""#, r#""/it's "'"'"me"'"'"""#);
        check(r"/a\b\", r#""/a\\b\\""#, r#""/a\b\""#);
    }
}
