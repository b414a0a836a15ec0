//! What a benchmark ran on.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;

/// Facts about this machine, as rows of a table.
pub(crate) fn describe(data_dir: &Path) -> Vec<[String; 2]> {
    let cores = available_parallelism().map_or_else(|_| "unknown".to_owned(), |cores| cores.to_string());
    let mut rows = vec![
        row("processor", first_field("/proc/cpuinfo", "model name")),
        row("cores", cores),
        row("memory", memory()),
        row(
            "kernel",
            fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_else(|_| "unknown".to_owned()),
        ),
        row("load when it began (1, 5, 15 min)", load()),
        row("file system of the data", file_system(data_dir)),
    ];
    for program in ["rustc", "rg", "grep", "jq", "python3", "redis-server"] {
        rows.push(row(program, version(program)));
    }
    rows
}

fn row(name: &str, value: String) -> [String; 2] {
    [name.to_owned(), value.trim().to_owned()]
}

/// The first `name : value` of a file below `/proc`.
fn first_field(path: &str, name: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let fields = text.lines().filter_map(|line| line.split_once(':'));
    let value =
        fields.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned());
    value.unwrap_or_else(|| "unknown".to_owned())
}

fn memory() -> String {
    let total = first_field("/proc/meminfo", "MemTotal");
    let kib = total.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    kib.map_or(total, |kib| format!("{:.1} GiB", kib / (1024.0 * 1024.0)))
}

/// How busy the machine was with other things.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_else(|_| "unknown".to_owned());
    text.split_whitespace().take(3).collect::<Vec<_>>().join(", ")
}

fn file_system(dir: &Path) -> String {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    file_system_in(&mounts, dir).unwrap_or_else(|| "unknown".to_owned())
}

/// The type of the mount that is nearest above a directory; of two at the same place the later one counts.
fn file_system_in(mounts: &str, dir: &Path) -> Option<String> {
    let mounts = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    let above = mounts.filter(|(point, _)| dir.starts_with(point));
    above.max_by_key(|(point, _)| point.len()).map(|(_, kind)| kind.to_owned())
}

/// The first line of `--version`.
fn version(program: &str) -> String {
    let output = Command::new(program).arg("--version").output();
    let Ok(output) = output else { return "not installed".to_owned() };
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_names_the_file_system() {
        let mounts = "/dev/vda / ext4 rw 0 0\ntmpfs /home tmpfs rw 0 0\n/dev/vdb /home/dev xfs rw 0 0\n";
        let check = |dir: &str, expect: &str| {
            assert_eq!(file_system_in(mounts, Path::new(dir)).as_deref(), Some(expect), "{dir}");
        };
        check("/srv/x", "ext4");
        check("/home/developer", "tmpfs");
        check("/home/dev/x", "xfs");
    }
}
