//! The template of the machine.

use super::{HomeWords, LIFE, Words};

pub(super) fn text(words: &Words) -> String {
    let Words { binary, home: HomeWords { escaped: home, listed: home_listed } } = words;
    format!(
        "\
# subcortex, for the manager of the machine: one instance a person, and it runs as that person.
#   systemctl enable --now subcortex@NAME
# Change it with `systemctl edit subcortex@NAME`, not here: this file is renewed by `subcortex service install`.
# Agents see NAME's files read-only. A folder that they may write to (a repository with loops) is added there with
#   [Service]
#   BindPaths=/home/NAME/src/project

[Unit]
Description=Background memory for coding agents, for %i
After=network.target nss-user-lookup.target
RequiresMountsFor={home_listed}
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
User=%i
# Made by that person, outside of the sandbox, which can only bind what exists.
ExecStartPre=+:runuser -u %i -- mkdir -p -m 0700 -- {home}
ExecStart=:{binary} --home {home} run
# Optional: keys of model endpoints, or the PATH on which agent programs are found, as NAME=value lines.
EnvironmentFile=-%E/subcortex/%i.environment
{LIFE}
# Files: the home can be written to, the rest of that person's can be read, nobody else's can be seen.
UMask=0077
ProtectSystem=strict
ProtectHome=tmpfs
BindReadOnlyPaths=-/home/%i
BindPaths={home}
PrivateTmp=yes
PrivateMounts=yes
PrivateDevices=yes
DevicePolicy=closed

# Processes and the kernel.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
PrivateUsers=yes
PrivateIPC=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
# Agents confine themselves with the last four.
SystemCallFilter=@system-service landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
"
    )
}
