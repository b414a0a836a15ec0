//! What may stand on a command line.

/// The longest argument, in bytes. Linux takes 128 KiB, with its name and the zero at its end.
const MAX_ARGUMENT_BYTES: usize = 120 * 1024;

/// An argument `--name=value`. Refused if the kernel could not pass it on.
pub(crate) fn option(name: &str, value: &str, what: &str) -> Result<String, String> {
    if value.len() > MAX_ARGUMENT_BYTES {
        let len = value.len();
        return Err(format!(
            "{what} has {len} bytes, and only {MAX_ARGUMENT_BYTES} can be handed to the agent: make it shorter"
        ));
    }
    if value.contains('\0') {
        return Err(format!("{what} holds a zero byte, which cannot be handed to the agent: remove it"));
    }
    Ok(format!("{name}={value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_would_refuse_is_refused_with_a_reason() {
        assert_eq!(option("--model", "-x y", "the model").as_deref(), Ok("--model=-x y"));
        assert!(option("--model", &"x".repeat(200_000), "the model").unwrap_err().contains("200000 bytes"));
        assert!(option("--model", "a\0b", "the model").unwrap_err().contains("the model holds a zero byte"));
    }
}
