//! What the tests of this package share.

use std::io::Write;

/// Reports a test as skipped, with the reason.
pub(crate) fn skip(test: &str, reason: &str) {
    println!("SKIPPED {test}: {reason}");
    if let Some(file) = std::env::var_os("SUBCORTEX_TEST_SKIPS") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
        writeln!(file, "SKIPPED {test}: {reason}").unwrap();
    }
}
