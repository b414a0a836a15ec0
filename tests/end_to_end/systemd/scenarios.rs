//! What must hold for a daemon under a real manager, whichever daemon it is.

use std::path::PathBuf;

use subcortex_service::Kind;

use super::manager::{Manager, Who};

/// What is put under a manager.
pub(crate) struct Subject {
    /// The daemon.
    pub(crate) binary: PathBuf,
    /// Puts the unit in place as a person would. The home is `--home`, if there is one.
    pub(crate) install: fn(&Manager, Option<&str>),
    /// Takes it away.
    pub(crate) uninstall: fn(&Manager, Option<&str>),
    /// Gives a running daemon something to do, once.
    pub(crate) keep_busy: fn(&Manager),
    /// Reports a test as skipped.
    pub(crate) skip: fn(&str, &str),
}

/// A home in which everything that means something to systemd occurs.
const HOSTILE_HOME: &str = r#"/home/weaver/my home/100%i/$HOME ${x}/a:b/it's "quoted"/back\slash\x20/;/#-@!"#;
/// Signs of life are waited for only this long in tests, so that a missing one shows soon.
const SHORT_WATCHDOG: &str = "[Service]\nWatchdogSec=8s\n";
/// When the manager last heard from the daemon, as a property of the unit.
const LAST_SIGN_OF_LIFE: &str = "WatchdogTimestampMonotonic";

impl Subject {
    /// A manager that knows the unit; `None`, and a skipped test, where there can be none.
    pub(crate) fn installed(&self, test: &str, kind: Kind, home: Option<&str>) -> Option<Manager> {
        match Manager::start(kind, &self.binary) {
            Ok(manager) => {
                (self.install)(&manager, home);
                reload_manager(&manager);
                Some(manager)
            }
            Err(reason) => {
                (self.skip)(test, &reason);
                None
            }
        }
    }

    /// Ready, a status, a reload, a stop, and nothing left after it was uninstalled.
    pub(crate) fn lives_from_start_to_stop(&self, test: &str, kind: Kind) {
        let Some(manager) = self.installed(test, kind, None) else { return };
        order(&manager, &["enable", "--now", manager.unit()]);
        assert_eq!(
            manager.show(&["ActiveState", "Result", "NRestarts"]),
            "ActiveState=active Result=success NRestarts=0"
        );
        manager.wait_for_any("StatusText");
        let started = main_pid(&manager);

        order(&manager, &["reload", manager.unit()]);
        manager.wait_for(&["ActiveState", "SubState"], "ActiveState=active SubState=running");
        assert_eq!(main_pid(&manager), started, "{}", manager.what_happened());

        // Anything but an orderly end within the time of the unit would be another result.
        order(&manager, &["stop", manager.unit()]);
        assert_eq!(
            manager.show(&["ActiveState", "Result", "ExecMainCode", "ExecMainStatus"]),
            "ActiveState=inactive Result=success ExecMainCode=1 ExecMainStatus=0",
            "{}",
            manager.what_happened()
        );

        order(&manager, &["start", manager.unit()]);
        (self.uninstall)(&manager, None);
        order(&manager, &["disable", "--now", manager.unit()]);
        order(&manager, &["daemon-reload"]);
        assert_eq!(manager.show(&["LoadState", "ActiveState"]), "LoadState=not-found ActiveState=inactive");
        let links = manager.run(Who::Root, &["find", manager.unit_folder(), "-name", "subcortex*"]);
        assert_eq!(links.text, "");
        assert_eq!(manager.end(), [""; 0]);
    }

    /// A daemon that was killed is started again; one that hangs is killed first.
    pub(crate) fn is_started_again_after_it_died_or_hung(&self, test: &str, kind: Kind) {
        let Some(manager) = self.installed(test, kind, None) else { return };
        drop_in(&manager, SHORT_WATCHDOG);
        order(&manager, &["start", manager.unit()]);
        for (restarts, signal) in [(1, "KILL"), (2, "STOP")] {
            let before = main_pid(&manager);
            assert!(manager.run(Who::Root, &["kill", "-s", signal, &before]).success);
            manager.wait_for(
                &["NRestarts", "ActiveState", "SubState"],
                &format!("NRestarts={restarts} ActiveState=active SubState=running"),
            );
            assert_ne!(main_pid(&manager), before);
        }
    }

    /// Work that never ends is no reason to take the daemon for dead.
    pub(crate) fn gives_signs_of_life_while_it_is_busy(&self, test: &str, kind: Kind) {
        let Some(manager) = self.installed(test, kind, None) else { return };
        drop_in(&manager, SHORT_WATCHDOG);
        order(&manager, &["start", manager.unit()]);
        let started = main_pid(&manager);
        for _ in 0..3 {
            let before = manager.value(LAST_SIGN_OF_LIFE);
            // Ends with the next sign of life; without one the manager kills the daemon, and the one that it starts
            // instead has another pid.
            while manager.value(LAST_SIGN_OF_LIFE) == before {
                (self.keep_busy)(&manager);
            }
            assert_eq!(manager.show(&["MainPID", "NRestarts"]), format!("MainPID={started} NRestarts=0"));
        }
    }

    /// Wrong settings end the daemon with 2, and a restart would not help.
    pub(crate) fn is_not_started_again_with_wrong_settings(&self, test: &str, kind: Kind) {
        let Some(manager) = self.installed(test, kind, None) else { return };
        let script =
            r#"mkdir -p ~/.subcortex/config && echo "nonsense: 1" > ~/.subcortex/config/subcortex.yaml"#;
        assert!(manager.run(Who::Weaver, &["sh", "-c", script]).success);
        assert!(!manager.systemctl(&["start", manager.unit()]).success);
        // One that is about to be started again is `activating`, so nothing has to be waited for.
        assert_eq!(
            manager.show(&["ActiveState", "SubState", "ExecMainStatus", "NRestarts"]),
            "ActiveState=failed SubState=failed ExecMainStatus=2 NRestarts=0",
            "{}",
            manager.what_happened()
        );
    }

    /// Quoting gets every path through systemd unharmed.
    pub(crate) fn serves_a_home_with_every_special_character(&self, test: &str, kind: Kind) {
        let Some(manager) = self.installed(test, kind, Some(HOSTILE_HOME)) else { return };
        // Only what lies above the home has to be there.
        let above = HOSTILE_HOME.rsplit_once('/').unwrap().0;
        assert!(manager.run(Who::Weaver, &["mkdir", "-p", above]).success);
        let started = manager.systemctl(&["start", manager.unit()]);
        assert!(started.success, "{}\n{}", started.text, manager.what_happened());
        let made = manager.run(Who::Weaver, &["ls", "-a", HOSTILE_HOME]);
        assert!(made.success && made.text.contains("var"), "{made:?}");
        order(&manager, &["stop", manager.unit()]);
        assert_eq!(manager.value("Result"), "success");
    }
}

#[track_caller]
pub(crate) fn order(manager: &Manager, args: &[&str]) {
    let answer = manager.systemctl(args);
    assert!(answer.success, "systemctl {args:?}: {}\n{}", answer.text, manager.what_happened());
}

pub(crate) fn reload_manager(manager: &Manager) {
    order(manager, &["daemon-reload"]);
}

/// Changes the unit the way `systemctl edit` does.
pub(crate) fn drop_in(manager: &Manager, text: &str) {
    let folder = manager.inside(&format!("{}/{}.d", manager.unit_folder(), manager.unit()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("test.conf"), text).unwrap();
    reload_manager(manager);
}

fn main_pid(manager: &Manager) -> String {
    let pid = manager.value("MainPID");
    assert_ne!(pid, "0", "{}", manager.what_happened());
    pid
}
