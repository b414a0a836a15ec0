//! A log file that never grows beyond its limit.
//!
//! `daemon.log` is the newest; when the next line would make it too large it becomes `daemon.1.log`, what was
//! that becomes `daemon.2.log`, and so on; the oldest goes.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use subcortex_store::{Disk, DiskFile, OpenMode};

/// Appends lines to a file and begins a new one in time.
#[derive(Debug)]
pub(crate) struct RotatingFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    max_bytes: u64,
    keep_files: usize,
    open: Option<(Box<dyn DiskFile>, u64)>,
}

impl RotatingFile {
    /// `keep_files` counts all of them, the newest included.
    pub(crate) fn new(disk: Arc<dyn Disk>, path: PathBuf, max_bytes: u64, keep_files: usize) -> Self {
        Self { disk, path, max_bytes, keep_files, open: None }
    }

    /// Appends one line with one write.
    pub(crate) fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        let (file, len) = self.file_for(line.len() as u64)?;
        let written = file.write(line);
        *len += *written.as_ref().unwrap_or(&0) as u64;
        let whole = matches!(written, Ok(n) if n == line.len());
        if !whole {
            self.open = None; // look anew next time: the disk may be full, or the file gone
        }
        written.map(drop)
    }

    fn file_for(&mut self, line_len: u64) -> io::Result<&mut (Box<dyn DiskFile>, u64)> {
        if self.open.as_ref().is_some_and(|(_, len)| *len > 0 && len + line_len > self.max_bytes) {
            self.open = None;
            self.rotate()?;
        }
        if self.open.is_none() {
            let file = self.disk.open(&self.path, OpenMode::Append)?;
            let len = file.len()?;
            self.open = Some((file, len));
            if len > 0 && len + line_len > self.max_bytes {
                return self.file_for(line_len); // left large by an earlier process
            }
        }
        self.open.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rotate(&self) -> io::Result<()> {
        let ignore_missing = |result: io::Result<()>| match result {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        };
        ignore_missing(self.disk.remove(&self.numbered(self.keep_files.saturating_sub(1))))?;
        for number in (1..self.keep_files.saturating_sub(1)).rev() {
            ignore_missing(self.disk.rename(&self.numbered(number), &self.numbered(number + 1)))?;
        }
        if self.keep_files > 1 {
            ignore_missing(self.disk.rename(&self.path, &self.numbered(1)))?;
        }
        Ok(())
    }

    /// The name of an older file; 0 is the newest.
    fn numbered(&self, number: usize) -> PathBuf {
        if number == 0 { self.path.clone() } else { self.path.with_extension(format!("{number}.log")) }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use subcortex_store::RealDisk;

    #[track_caller]
    fn check(keep_files: usize, lines: usize, expect: &[(&str, &str)]) {
        let dir = tempfile::tempdir().unwrap();
        let mut log = RotatingFile::new(Arc::new(RealDisk), dir.path().join("daemon.log"), 4, keep_files);
        for n in 0..lines {
            log.write_line(format!("{n}\n").as_bytes()).unwrap();
        }
        let mut found: Vec<(String, String)> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, std::fs::read_to_string(path).unwrap().replace('\n', " "))
            })
            .collect();
        found.sort();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn the_newest_lines_stay_and_the_oldest_go() {
        check(3, 1, &[("daemon.log", "0 ")]);
        check(3, 3, &[("daemon.1.log", "0 1 "), ("daemon.log", "2 ")]);
        check(3, 9, &[("daemon.1.log", "6 7 "), ("daemon.2.log", "4 5 "), ("daemon.log", "8 ")]);
        check(1, 9, &[("daemon.log", "8 ")]);
        check(2, 9, &[("daemon.1.log", "6 7 "), ("daemon.log", "8 ")]);
    }

    #[test]
    fn a_file_left_too_large_by_an_earlier_process_is_rotated_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.log");
        std::fs::write(&path, "long before\n").unwrap();
        RotatingFile::new(Arc::new(RealDisk), path.clone(), 4, 2).write_line(b"x\n").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "x\n");
        assert_eq!(std::fs::read_to_string(dir.path().join("daemon.1.log")).unwrap(), "long before\n");
    }
}
