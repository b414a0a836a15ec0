//! The template of the machine.

use super::{LIFE, Words};

pub(super) fn text(words: &Words) -> String {
    let Words { binary, home } = words;
    format!(
        "\
# subcortex, for the manager of the machine: one instance a person, and it runs as that person.
#   systemctl enable --now subcortex@NAME
# Change it with `systemctl edit subcortex@NAME`, not here: this file is renewed by `subcortex service install`.
# Agents see NAME's files read-only. A folder that they may write to (a repository with loops) is added there with
#   [Service]
#   ReadWritePaths=/home/NAME/src/project

[Unit]
Description=Background memory for coding agents, for %i
After=network.target nss-user-lookup.target
RequiresMountsFor={home}
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
User=%i
# Made by that person, outside of the sandbox, before anything is served.
ExecStartPre=+:runuser -u %i -- mkdir -p -m 0700 -- {home}
ExecStart=:{binary} --home {home} run
# Optional: keys of model endpoints, or the PATH on which agent programs are found, as NAME=value lines.
EnvironmentFile=-%E/subcortex/%i.environment
{LIFE}
# Files: the home can be written to; everything else can at most be read, as far as that person may.
UMask=0077
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=-{home}
# That person's bus would start programs outside of the sandbox.
InaccessiblePaths=-/run/user
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
