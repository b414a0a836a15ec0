//! What a new process becomes, in the form in which the kernel takes it.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// A program with its arguments, its whole environment and its directory.
#[derive(Debug)]
pub(crate) struct Image {
    /// The arguments; the first is the path of the program.
    pub(crate) argv: Vec<CString>,
    /// Lines `NAME=value`.
    pub(crate) envp: Vec<CString>,
    /// Where it runs.
    pub(crate) cwd: CString,
}

impl Image {
    /// Fails where a text holds a zero byte, which would end it for the kernel.
    pub(crate) fn new(
        program: &Path,
        args: &[OsString],
        env: BTreeMap<OsString, OsString>,
        cwd: &Path,
    ) -> io::Result<Self> {
        let words = [program.as_os_str()].into_iter().chain(args.iter().map(OsString::as_os_str));
        let argv = words.map(|word| CString::new(word.as_bytes())).collect::<Result<_, _>>()?;
        let envp = env.into_iter().map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            CString::new(name.into_vec())
        });
        Ok(Self {
            argv,
            envp: envp.collect::<Result<_, _>>()?,
            cwd: CString::new(cwd.as_os_str().as_bytes())?,
        })
    }

    /// The path of the program.
    pub(crate) fn program(&self) -> &CStr {
        self.argv.first().map_or(c"", CString::as_c_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(arg: &str, name: &str, value: &str) -> io::Result<Image> {
        let env = BTreeMap::from([(name.into(), value.into()), ("Z".into(), "".into())]);
        Image::new(Path::new("/bin/true"), &[arg.into()], env, Path::new("/"))
    }

    #[test]
    fn an_image_is_what_the_kernel_takes() {
        let image = image("-x", "A", "b=c").unwrap();
        assert_eq!(image.program(), c"/bin/true");
        assert_eq!(image.argv, [c"/bin/true", c"-x"].map(CString::from));
        assert_eq!(image.envp, [c"A=b=c", c"Z="].map(CString::from));
    }

    #[test]
    fn a_zero_byte_anywhere_is_refused() {
        for (arg, name, value) in [("a\0b", "A", ""), ("", "A\0", ""), ("", "A", "\0")] {
            let error = image(arg, name, value).unwrap_err();
            assert_eq!((error.kind(), error.raw_os_error()), (io::ErrorKind::InvalidInput, None));
        }
    }
}
