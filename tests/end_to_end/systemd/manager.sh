#!/bin/sh
# Becomes a systemd manager of its own: manager.sh user|system SCRATCH BINARY
# That of a machine has the machine's own journal service, which keeps everything in memory.
#
# It must be process 1 of new mount, pid, cgroup, ipc, uts and net namespaces; nothing of it outlives them. The root is
# an overlay of the machine's, kept in memory. In it there is BINARY as /usr/local/bin/subcortex, a person `weaver`
# (4242) with an empty home, and no units but the targets that every unit depends on.
set -eu
kind=$1 scratch=$2 binary=$3

mount --make-rprivate /
mount -t tmpfs -o size=256m tmpfs "$scratch"
root=$scratch/root
mkdir "$scratch/upper" "$scratch/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$root"

mkdir -p "$root/usr/local/bin" "$root/etc/systemd/system" "$root/home"
rm -f "$root/usr/local/bin/subcortex"
: > "$root/usr/local/bin/subcortex"
mount --bind "$binary" "$root/usr/local/bin/subcortex"
mount -o remount,bind,ro "$root/usr/local/bin/subcortex"

for dir in run tmp home etc/systemd/system; do
    mount -t tmpfs -o mode=755 tmpfs "$root/$dir"
done
chmod 1777 "$root/tmp"
mount -t proc proc "$root/proc"
# What process 1 sets there would be set for the whole machine.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
    : > "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir -m 1777 "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
ln -s pts/ptmx "$root/dev/ptmx"

echo 'weaver:x:4242:4242::/home/weaver:/bin/sh' >> "$root/etc/passwd"
echo 'weaver:x:4242:' >> "$root/etc/group"
echo 'weaver:*:19000:0:99999:7:::' >> "$root/etc/shadow"
units=$root/etc/systemd/system
if [ "$kind" = user ]; then
    units=$root/home/weaver/.config/systemd/user
fi
mkdir -p "$units" "$root/home/weaver"
for target in sysinit basic default multi-user shutdown network nss-user-lookup; do
    printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' "$target" > "$units/$target.target"
done
chown -R 4242:4242 "$root/home/weaver"
if [ "$kind" = system ]; then
    for unit in systemd-journald.service systemd-journald.socket systemd-journald-dev-log.socket; do
        for folder in /usr/lib/systemd/system /lib/systemd/system; do
            [ -e "$folder/$unit" ] && cp "$folder/$unit" "$units/" && break
        done
    done
    # Nothing of the machine's own journal is seen or written, and no line is left out for being one of many.
    mkdir -p "$root/etc/systemd/journald.conf.d" "$root/run/log/journal"
    printf '[Journal]\nStorage=volatile\nRateLimitIntervalSec=0\nReadKMsg=no\nAudit=no\n' > "$root/etc/systemd/journald.conf.d/test.conf"
fi

cd "$root"
pivot_root . .
umount -l .
cd /
# Whoever waits for it knows that from here on nothing can reach the machine's own manager.
: > /run/subcortex-test

systemd=/usr/lib/systemd/systemd
[ -x "$systemd" ] || systemd=/lib/systemd/systemd
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

if [ "$kind" = system ]; then
    exec setpriv --bounding-set=-sys_time,-sys_module,-sys_boot,-sys_rawio env -i PATH="$path" container=subcortex-test \
        SYSTEMD_UNIT_PATH=/etc/systemd/system "$systemd" --system --unit=multi-user.target --log-target=console --show-status=no
fi

# What a system's manager prepares for that of a person: its folder, and a cgroup that is its own.
mkdir -p /run/systemd/system /run/user/4242 /sys/fs/cgroup/weaver
echo $$ > /sys/fs/cgroup/weaver/cgroup.procs
chmod 700 /run/user/4242
chown 4242:4242 /run/user/4242 /sys/fs/cgroup/weaver /sys/fs/cgroup/weaver/cgroup.procs \
    /sys/fs/cgroup/weaver/cgroup.subtree_control /sys/fs/cgroup/weaver/cgroup.threads
setpriv --reuid=4242 --regid=4242 --clear-groups env -i PATH="$path" HOME=/home/weaver XDG_RUNTIME_DIR=/run/user/4242 \
    SYSTEMD_UNIT_PATH=/home/weaver/.config/systemd/user "$systemd" --user --unit=default.target --log-target=console &
wait $!
