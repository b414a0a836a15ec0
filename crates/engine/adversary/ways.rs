//! The ways of escaping. Each is played by the first process; the other roles are its accomplices.

use std::ffi::CString;
use std::process::Command;

use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setpgid, setrlimit, setsid};

use crate::Actor;

/// How many generations a chain has when it is meant to end.
const CHAIN_GENERATIONS: u32 = 50;
/// How many generations an endless chain has, lest a failing test never ends.
const ENDLESS_GENERATIONS: u32 = 20_000;
/// A fork storm has two to the power of this many processes.
const STORM_DEPTH: u32 = 5;
/// How many orphans that end at once are made.
const QUICK_EXITS: u32 = 30;

/// Plays one role. For a way, `extra` says whether the first process goes on (`stay`) or ends (`leave`).
pub(crate) fn play(actor: &Actor, role: &str, extra: &str) {
    match role {
        // Accomplices.
        "lingers" => sign_up_and_linger(actor, extra),
        "lingers-in-own-session" => in_own_session(actor, extra),
        "lingers-in-own-group" => in_own_group(actor, extra),
        "starts-orphan" => start(&mut actor.copy("lingers-in-own-session", extra)),
        "starts-bare-orphan" => start(actor.copy("lingers-in-own-session", extra).env_clear()),
        "starts-quick-orphan" => start(&mut actor.copy("ends", "")),
        "ends" => {}
        "stops-itself" => stop_itself(actor, extra),
        "renames-itself" => rename_itself(actor, extra),
        "opens-fifo" => open_fifo(actor, extra),
        "moves-up" => leave_cgroup(actor, extra),
        "chain-link" => chain_link(actor, extra),
        "storm-part" => storm(actor, extra),
        _ => play_way(actor, role, extra),
    }
}

fn play_way(actor: &Actor, way: &str, then: &str) {
    match way {
        "nothing" => {}
        "ignores-term" => {
            let script = "trap '' TERM HUP INT; exec \"$0\" \"$@\"";
            start_and_wait(actor, &mut actor.copy_by_shell(script, "lingers", "up"));
        }
        "own-session" => start_and_wait(actor, &mut actor.copy("lingers-in-own-session", "up")),
        "double-fork" => orphan(actor, "starts-orphan"),
        "own-group" => start_and_wait(actor, &mut actor.copy("lingers-in-own-group", "up")),
        "stopped" => start_and_wait(actor, &mut actor.copy("stops-itself", "up")),
        "closed-files" => {
            let script = "exec \"$0\" \"$@\" 0<&- 1>&- 2>&-";
            start_and_wait(actor, &mut actor.copy_by_shell(script, "lingers-in-own-session", "up"));
        }
        "no-environment" => orphan(actor, "starts-bare-orphan"),
        "no-marks" => {
            setrlimit(Resource::Locks, Rlimit { current: Some(0), maximum: Some(0) }).unwrap();
            orphan(actor, "starts-bare-orphan");
        }
        "chain" => start(&mut actor.copy("chain-link", &CHAIN_GENERATIONS.to_string())),
        "endless-chain" => start(actor.copy("chain-link", &ENDLESS_GENERATIONS.to_string()).env_clear()),
        "storm" => start_and_wait(actor, &mut actor.copy("storm-part", &STORM_DEPTH.to_string())),
        "holds-output" => {
            let script = "exec \"$0\" \"$@\"";
            start_and_wait(actor, &mut actor.copy_by_shell(script, "lingers-in-own-session", "up"));
        }
        "nohup" => {
            let script = "nohup \"$0\" \"$@\" >/dev/null 2>&1 &";
            start_and_wait(actor, &mut actor.copy_by_shell(script, "lingers", "up"));
        }
        "quick-exits" => {
            for _ in 0..QUICK_EXITS {
                actor.copy("starts-quick-orphan", "").spawn().unwrap();
            }
            orphan(actor, "starts-orphan");
        }
        "renamed" => start_and_wait(actor, &mut actor.copy("renames-itself", "up")),
        "fifo" => start_and_wait(actor, &mut actor.copy("opens-fifo", "up")),
        "leaves-cgroup" => start_and_wait(actor, actor.copy("moves-up", "up").env_clear()),
        "everything" => {
            let script = "trap '' TERM HUP INT; \"$0\" \"$@\" 0<&- 1>&- 2>&- &";
            start_and_wait(actor, actor.copy_by_shell(script, "renames-itself", "up").env_clear());
        }
        unknown => panic!("no way {unknown}"),
    }
    actor.say_ready();
    if then == "stay" {
        actor.linger();
    }
}

fn start(command: &mut Command) {
    command.spawn().unwrap();
}

/// Starts an accomplice and waits until it has done what it is for.
fn start_and_wait(actor: &Actor, command: &mut Command) {
    command.spawn().unwrap();
    actor.wait_for("up");
}

/// Starts a process in between, which ends after it started an accomplice.
fn orphan(actor: &Actor, role: &str) {
    actor.copy(role, "up").spawn().unwrap().wait().unwrap();
    actor.wait_for("up");
}

fn sign_up_and_linger(actor: &Actor, name: &str) -> ! {
    actor.note(name);
    actor.linger()
}

fn in_own_session(actor: &Actor, name: &str) {
    setsid().unwrap();
    sign_up_and_linger(actor, name)
}

fn in_own_group(actor: &Actor, name: &str) {
    setpgid(None, None).unwrap();
    sign_up_and_linger(actor, name)
}

fn stop_itself(actor: &Actor, name: &str) {
    setsid().unwrap();
    actor.note(name);
    kill_process(getpid(), Signal::STOP).unwrap();
    actor.linger()
}

fn rename_itself(actor: &Actor, name: &str) {
    setsid().unwrap();
    rustix::thread::set_name(&CString::new("kworker/0:1").unwrap()).unwrap();
    sign_up_and_linger(actor, name)
}

fn open_fifo(actor: &Actor, name: &str) {
    setsid().unwrap();
    let fifo = actor.dir.join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    actor.note(name);
    // Nobody ever opens the other end.
    drop(std::fs::File::open(fifo));
    actor.linger()
}

/// Moves itself to the cgroup above its own, where it may.
fn leave_cgroup(actor: &Actor, name: &str) {
    setsid().unwrap();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mount =
        mounts.lines().find(|line| line.contains(" - cgroup2 ")).and_then(|line| line.split(' ').nth(4));
    let membership = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = membership.lines().find_map(|line| line.strip_prefix("0::/"));
    if let (Some(mount), Some((above, _))) = (mount, own.map(|own| own.rsplit_once('/').unwrap_or(("", own))))
    {
        let _ = std::fs::write(format!("{mount}/{above}/cgroup.procs"), "0");
    }
    sign_up_and_linger(actor, name)
}

/// Starts its successor and ends; the last of them lingers.
fn chain_link(actor: &Actor, generations_left: &str) {
    setsid().unwrap();
    match generations_left.parse::<u32>().unwrap() {
        0 => actor.linger(),
        left => start(&mut actor.copy("chain-link", &(left - 1).to_string())),
    }
}

/// Starts two more like itself, down to a depth, and lingers.
fn storm(actor: &Actor, depth: &str) {
    setsid().unwrap();
    match depth.parse::<u32>().unwrap() {
        0 => actor.note("up"),
        depth => {
            for _ in 0..2 {
                start(&mut actor.copy("storm-part", &(depth - 1).to_string()));
            }
        }
    }
    actor.linger()
}
