//! What a file has besides its content: owner, mode, extended attributes.

use std::fs::File;
use std::io;

use rustix::fs::{self as sys, Gid, Mode, Uid, XattrFlags};
use rustix::io::Errno;

/// The largest list of names, and the largest value, that Linux allows for extended attributes, in bytes.
const MAX_XATTR_BYTES: usize = 64 * 1024;
/// Who else may read or write the file.
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";
/// What people and their programs note about a file.
const NOTES: &[u8] = b"user.";
/// The bits that say who may do what, with those for running as somebody else.
const MODE_BITS: u32 = 0o7777;

/// Gives `to` what `from` has. The owner comes first: giving a file away clears bits of its mode.
pub(super) fn copy(from: &File, to: &File) -> io::Result<()> {
    let (wanted, has) = (sys::fstat(from)?, sys::fstat(to)?);
    if (wanted.st_uid, wanted.st_gid) != (has.st_uid, has.st_gid) {
        sys::fchown(to, Some(Uid::from_raw(wanted.st_uid)), Some(Gid::from_raw(wanted.st_gid)))?;
    }
    copy_extended(from, to)?;
    if wanted.st_mode & MODE_BITS != sys::fstat(to)?.st_mode & MODE_BITS {
        sys::fchmod(to, Mode::from_raw_mode(wanted.st_mode & MODE_BITS))?;
    }
    Ok(())
}

/// The access list must be kept, since it is about who may read; notes are kept where that is possible. What else there is
/// (labels of the system) is made anew by the kernel.
fn copy_extended(from: &File, to: &File) -> io::Result<()> {
    let mut names = vec![0; MAX_XATTR_BYTES];
    let len = match sys::flistxattr(from, &mut names) {
        Ok(len) => len,
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
        Err(errno) => return Err(errno.into()),
    };
    let names = names.get(..len).unwrap_or_default();
    for name in names.split(|byte| *byte == 0).filter(|name| *name == ACCESS_LIST || name.starts_with(NOTES))
    {
        let mut value = vec![0; MAX_XATTR_BYTES];
        let copied = sys::fgetxattr(from, name, &mut value).and_then(|len| {
            sys::fsetxattr(to, name, value.get(..len).unwrap_or_default(), XattrFlags::empty())
        });
        if name == ACCESS_LIST {
            copied?;
        }
    }
    Ok(())
}
