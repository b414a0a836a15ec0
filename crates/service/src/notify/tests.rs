use super::*;

/// What a manager that listens at a path has received so far.
fn heard(manager: &UnixDatagram) -> Vec<String> {
    manager.set_nonblocking(true).unwrap();
    let mut buffer = [0; 8192];
    std::iter::from_fn(|| {
        manager.recv(&mut buffer).ok().map(|len| String::from_utf8_lossy(&buffer[..len]).into_owned())
    })
    .collect()
}

fn manager() -> (tempfile::TempDir, UnixDatagram, Notifier) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let notifier = Notifier::new(Some(path.as_os_str()), Some(30_000_000));
    (dir, socket, notifier)
}

#[test]
fn each_call_is_one_datagram_in_the_words_of_the_protocol() {
    let (_dir, manager, notifier) = manager();
    notifier.status("tick 12");
    notifier.ready();
    notifier.watchdog();
    notifier.stopping();
    assert_eq!(heard(&manager), ["STATUS=tick 12", "READY=1", "WATCHDOG=1", "STOPPING=1"]);
}

#[test]
fn a_reload_carries_the_time_of_the_monotonic_clock() {
    let (_dir, manager, notifier) = manager();
    let usec = || {
        notifier.reloading();
        let said = heard(&manager).concat();
        said.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").unwrap().parse::<u64>().unwrap()
    };
    let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
    let uptime_s: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
    let (first, second) = (usec(), usec());
    assert!(0 < first && first <= second);
    // Uptime counts a suspended machine too, so it can only be ahead; a wall clock would be far off.
    assert!(second < (uptime_s as u64 + 3600) * 1_000_000);
}

#[test]
fn abstract_sockets_are_reached() {
    let name = format!("subcortex-test-{}", std::process::id());
    let manager = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    Notifier::new(Some(OsStr::new(&format!("@{name}"))), None).ready();
    assert_eq!(heard(&manager), ["READY=1"]);
}

#[test]
fn a_status_is_one_short_line() {
    let (_dir, manager, notifier) = manager();
    notifier.status("one\nMAINPID=1\r\0");
    notifier.status(&"ü".repeat(5000));
    let said = heard(&manager);
    assert_eq!(said[0], "STATUS=one MAINPID=1  ");
    assert_eq!(said[1], format!("STATUS={}", "ü".repeat(256)));
}

#[test]
fn no_manager_or_a_dead_or_deaf_one_is_no_error() {
    let speak = |notifier: &Notifier| {
        notifier.ready();
        notifier.status("still there");
        notifier.watchdog();
    };
    for socket in ["", "@", "/", "relative", "vsock:2:1", "/nowhere/notify", &format!("/{}", "x".repeat(200))]
    {
        speak(&Notifier::new(Some(OsStr::new(socket)), Some(1_000_000)));
    }
    speak(&Notifier::new(None, None));

    let (dir, manager, notifier) = manager();
    for _ in 0..10_000 {
        notifier.watchdog(); // nobody reads: the queue is full long before the last one
    }
    drop(manager);
    speak(&notifier);
    drop(dir);
    speak(&notifier);
}

#[test]
fn a_manager_that_was_restarted_is_found_again() {
    let (dir, manager, notifier) = manager();
    notifier.ready();
    drop(manager);
    std::fs::rename(dir.path().join("notify"), dir.path().join("old")).unwrap();
    let manager = UnixDatagram::bind(dir.path().join("notify")).unwrap();
    notifier.watchdog();
    assert_eq!(heard(&manager), ["WATCHDOG=1"]);
}

#[test]
fn signs_of_life_are_wanted_twice_in_the_time_of_the_watchdog() {
    let interval =
        |socket: Option<&str>, usec| Notifier::new(socket.map(OsStr::new), usec).watchdog_interval();
    assert_eq!(interval(Some("/x"), Some(30_000_000)), Some(Duration::from_secs(15)));
    assert_eq!(interval(Some("/x"), None), None);
    assert_eq!(interval(Some("/x"), Some(0)), None);
    assert_eq!(interval(Some("/x"), Some(1)), None);
    assert_eq!(interval(None, Some(30_000_000)), None);
}

#[test]
fn a_watchdog_of_another_process_is_not_ours() {
    let read =
        |usec: Option<&str>, pid: Option<&str>| watchdog_usec(usec.map(OsStr::new), pid.map(OsStr::new), 77);
    assert_eq!(read(Some("30000000"), Some("77")), Some(30_000_000));
    assert_eq!(read(Some("30000000"), None), Some(30_000_000));
    assert_eq!(read(Some("30000000"), Some("78")), None);
    assert_eq!(read(Some("soon"), Some("77")), None);
    assert_eq!(read(Some("0"), Some("77")), None);
    assert_eq!(read(None, Some("77")), None);
}
