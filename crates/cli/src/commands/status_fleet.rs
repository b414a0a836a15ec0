//! The fleet in `subcortex status`.

use std::fmt::Write as _;

use subcortex_daemon::{FleetView, Machine};
use subcortex_guard::escape_for_display;

/// How many tasks of a machine are named.
const SHOWN_TASKS: usize = 3;

pub(crate) fn show_fleet(text: &mut String, fleet: &FleetView) {
    let server = if fleet.server.is_empty() { "-" } else { &fleet.server };
    // Writing to a String cannot fail.
    let _ok = match &fleet.trouble {
        Some(why) => writeln!(text, "\nfleet      {server}: {}", escape_for_display(why)),
        None => writeln!(text, "\nfleet      {server}"),
    };
    for inbox in &fleet.inboxes {
        let _ok =
            writeln!(text, "  {:<18} {} waiting, {} taken", inbox.partition, inbox.waiting, inbox.taken);
        for (entry, why) in &inbox.aside {
            let _ok =
                writeln!(text, "    set aside {}: {}", escape_for_display(entry), escape_for_display(why));
        }
    }
    fleet.machines.iter().for_each(|machine| show_machine(text, machine));
}

fn show_machine(text: &mut String, machine: &Machine) {
    let named = if machine.name.is_empty() { &machine.id } else { &machine.name };
    let heard = match machine.here {
        true => "here".to_owned(),
        false => format!("silent for {} s", machine.heard_ms_ago / 1000),
    };
    let _ok = write!(text, "  {:<18} {heard}, holds {}", escape_for_display(named), machine.tasks);
    let tasks: Vec<String> = machine
        .holds
        .iter()
        .take(SHOWN_TASKS)
        .map(|held| {
            let failed =
                if held.attempts > 0 { format!(" ({} failed)", held.attempts) } else { String::new() };
            format!("{}/{}{failed}", held.partition, escape_for_display(&held.task))
        })
        .collect();
    if !tasks.is_empty() {
        let more = if machine.tasks > tasks.len() { ", …" } else { "" };
        let _ok = write!(text, ": {}{more}", tasks.join(", "));
    }
    text.push('\n');
}
