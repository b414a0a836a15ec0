# What programs in the sandbox of the machine's template can and cannot do: one `name: yes|no` a line.
home=/home/weaver/.subcortex
try() {
    name=$1
    shift
    if "$@" > /dev/null 2>&1; then echo "$name: yes"; else echo "$name: no"; fi
}
own_cgroup() {
    dir=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/run
    mkdir "$dir" && sh -c 'echo $$ > "$1/cgroup.procs"; grep -q "^0::.*/run\$" /proc/self/cgroup' sh "$dir" && rmdir "$dir"
}
loopback() {
    perl -MIO::Socket::INET -e '
        my $listener = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
        IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $listener->sockport) or die'
}
{
    try "write to the home" touch "$home/made"
    try "write to a private /tmp" touch /tmp/made
    try "write to that person's other files" touch /home/weaver/made
    try "write to /var" touch /var/made
    try "read that person's other files" cat /home/weaver/notes
    try "see that person's bus" ls /run/user/4242/bus
    try "see processes of others" ls /proc/1
    try "read the boot id" cat /proc/sys/kernel/random/boot_id
    try "make a cgroup and enter it" own_cgroup
    try "start a session" setsid true
    try "start threads and compile at run time" ${NODE:-true} -e 'new Function("return 1")(); require("os").networkInterfaces()'
    try "use the network" loopback
    try "open raw sockets" perl -e 'socket(my $s, 17, 3, 0) or die'
    try "make a user namespace" unshare --user true
    try "mount" mount -t tmpfs tmpfs /tmp
    try "make a setuid file" chmod u+s "$home/made"
    try "gain privileges" sh -c '! grep -q "^NoNewPrivs:.1" /proc/self/status'
} > "$home/probe.out"
