//! The unit of one person.

use super::{LIFE, Words};

/// Everything below needs no privileges and no namespaces; it holds for whatever the service starts as well.
pub(super) fn text(words: &Words) -> String {
    let Words { binary, home } = words;
    format!(
        "\
# subcortex, for the manager of one person.
#   systemctl --user enable --now subcortex
#   loginctl enable-linger        so that it starts at boot and outlives the last logout
# Change it with `systemctl --user edit subcortex`, not here: this file is renewed by `subcortex service install`.

[Unit]
Description=Background memory for coding agents
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
ExecStart=:{binary} --home {home} run
# Optional: keys of model endpoints, or the PATH on which agent programs are found, as NAME=value lines.
EnvironmentFile=-%E/subcortex/environment
{LIFE}
# Agents may still write to this person's files and bring sandboxes of their own; a sandbox around all of them
# is what the system's template `subcortex@.service` has.
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
"
    )
}
