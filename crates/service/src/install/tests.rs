use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use subcortex_store::RealDisk;

use super::*;
use crate::unit::{Options, unit};

fn text(kind: Kind, home: &str) -> String {
    unit(kind, &Options { binary: "/usr/bin/subcortex".into(), home: Some(home.into()) }).unwrap()
}

/// Every path below a folder, with the content of files.
fn tree(root: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            found.push((path.clone(), fs::read(&path).ok()));
        }
    }
    found.sort();
    found
}

#[test]
fn install_and_uninstall_leave_everything_byte_for_byte_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let folder = user_folder(dir.path());
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("other.service"), "[Service]\nExecStart=/bin/true\n").unwrap();
    let before = tree(dir.path());
    for kind in [Kind::User, Kind::System] {
        let unit = text(kind, "/srv/memory");
        let installed = install(&RealDisk, kind, &folder, &unit).unwrap();
        assert_eq!(installed.change, Change::Written);
        assert_eq!(installed.path, folder.join(kind.file_name()));
        assert_eq!(fs::read_to_string(&installed.path).unwrap(), unit);

        let uninstalled = uninstall(&RealDisk, kind, &folder, &unit).unwrap();
        assert_eq!(
            uninstalled,
            Done { change: Change::Removed, next: uninstalled.next.clone(), ..installed }
        );
        assert_eq!(tree(dir.path()), before);
    }
}

#[test]
fn a_second_install_or_uninstall_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let unit = text(Kind::User, "/srv/memory");
    let folder = user_folder(dir.path());
    install(&RealDisk, Kind::User, &folder, &unit).unwrap();
    let before = tree(dir.path());
    assert_eq!(install(&RealDisk, Kind::User, &folder, &unit).unwrap().change, Change::Nothing);
    assert_eq!(tree(dir.path()), before);
    uninstall(&RealDisk, Kind::User, &folder, &unit).unwrap();
    let again = uninstall(&RealDisk, Kind::User, &folder, &unit).unwrap();
    assert_eq!((again.change, again.next.len()), (Change::Nothing, 0));
}

#[test]
fn the_person_is_told_what_to_run_next() {
    let dir = tempfile::tempdir().unwrap();
    let next =
        |kind, home: &str| install(&RealDisk, kind, dir.path(), &text(kind, home)).unwrap().next.join("\n");
    assert_eq!(
        next(Kind::User, "/a"),
        "systemctl --user daemon-reload\nsystemctl --user enable --now subcortex\nloginctl enable-linger"
    );
    assert_eq!(
        next(Kind::User, "/b"),
        "systemctl --user daemon-reload\nsystemctl --user try-restart subcortex"
    );
    assert_eq!(next(Kind::System, "/a"), "systemctl daemon-reload\nsystemctl enable --now subcortex@NAME");
    assert_eq!(next(Kind::System, "/b"), "systemctl daemon-reload\nsystemctl try-restart 'subcortex@*'");
    let last = |kind| uninstall(&RealDisk, kind, dir.path(), &text(kind, "/a")).unwrap().next.join("\n");
    assert_eq!(last(Kind::User), "systemctl --user disable --now subcortex\nsystemctl --user daemon-reload");
    assert_eq!(last(Kind::System), "systemctl disable --now subcortex@NAME\nsystemctl daemon-reload");
}

#[test]
fn an_own_unit_for_another_home_is_renewed_and_can_be_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (text(Kind::User, "/old"), text(Kind::User, "/new"));
    install(&RealDisk, Kind::User, dir.path(), &old).unwrap();
    let renewed = install(&RealDisk, Kind::User, dir.path(), &new).unwrap();
    assert_eq!(renewed.change, Change::Renewed);
    assert_eq!(fs::read_to_string(&renewed.path).unwrap(), new);
    assert_eq!(uninstall(&RealDisk, Kind::User, dir.path(), &old).unwrap().change, Change::Removed);
    assert_eq!(tree(dir.path()), []);
}

#[test]
fn an_edited_unit_is_neither_overwritten_nor_removed_and_the_edit_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let unit = text(Kind::User, "/srv/memory");
    let path = install(&RealDisk, Kind::User, dir.path(), &unit).unwrap().path;
    let edited = unit.replace("WatchdogSec=30s", "WatchdogSec=5min");
    fs::write(&path, &edited).unwrap();
    for refused in [
        install(&RealDisk, Kind::User, dir.path(), &unit).unwrap_err(),
        uninstall(&RealDisk, Kind::User, dir.path(), &unit).unwrap_err(),
    ] {
        let said = refused.to_string();
        assert!(said.contains("move them to a drop-in with `systemctl --user edit subcortex`"), "{said}");
        assert!(said.contains("\n-WatchdogSec=30s\n+WatchdogSec=5min\n"), "{said}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
}

#[test]
fn a_masked_unit_stays_masked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(Kind::User.file_name());
    symlink("/dev/null", &path).unwrap();
    let unit = text(Kind::User, "/srv/memory");
    let said = install(&RealDisk, Kind::User, dir.path(), &unit).unwrap_err().to_string();
    assert!(said.contains("is a symbolic link, and a regular file is needed there"), "{said}");
    assert!(uninstall(&RealDisk, Kind::User, dir.path(), &unit).is_err());
    assert_eq!(fs::read_link(&path).unwrap(), Path::new("/dev/null"));
}

#[test]
fn everybody_may_read_a_unit_of_the_machine_also_one_whose_install_was_cut_short() {
    let dir = tempfile::tempdir().unwrap();
    let unit = text(Kind::System, "/srv/memory");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = install(&RealDisk, Kind::System, dir.path(), &unit).unwrap().path;
    assert_eq!(mode(&path), 0o644);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    install(&RealDisk, Kind::System, dir.path(), &unit).unwrap();
    assert_eq!(mode(&path), 0o644);
}

#[test]
fn a_machine_without_systemd_gets_no_folders() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("etc/systemd/system");
    let said = install(&RealDisk, Kind::System, &folder, &text(Kind::System, "/a")).unwrap_err().to_string();
    assert!(said.contains("does not seem to run systemd"), "{said}");
    assert_eq!(tree(dir.path()), []);
}
