#!/bin/bash
# In a container of 256 MiB, with the defaults: no attack on memory gets the
# daemon killed or keeps small requests of others from being served.
. "$(dirname "$0")/../lib/daemon.sh"

memory=$((256 << 20))

# Makes a memory group; $group is its folder. False without the right, or
# without the controller.
make_group() {
    local root=/sys/fs/cgroup name=flipd-test-$$

    if [ -e $root/memory/memory.limit_in_bytes ]; then
        group=$root/memory/$name
        mkdir "$group" 2>/dev/null || return 1
        echo 1 >"$group/memory.kmem.tcp.limit_in_bytes" 2>/dev/null || true
        echo $memory >"$group/memory.kmem.tcp.limit_in_bytes" 2>/dev/null || true
        echo $memory >"$group/memory.limit_in_bytes"
    elif grep -qw memory $root/cgroup.subtree_control 2>/dev/null; then
        group=$root/$name
        mkdir "$group" 2>/dev/null || return 1
        echo $memory >"$group/memory.max" && echo 0 >"$group/memory.swap.max"
    else
        return 1
    fi
}

# A sanitizer's heap takes many times the memory.
if grep -qE '__[at]san_init' "$daemon"; then
    echo "  left out: the daemon was built with a sanitizer"
    exit 0
fi
if ! make_group; then
    echo "  left out: no right to make a memory group in /sys/fs/cgroup"
    exit 0
fi
trap 'clean; within 5 rmdir "$group" 2>/dev/null' EXIT

# Processes of the group that the kernel has killed for lack of memory.
kills() { cat "$group"/memory.{oom_control,events} 2>/dev/null |
    awk '$1 == "oom_kill" { print $2 }'; }

inside=$work/inside
printf '#!/bin/sh\necho $$ >"%s/cgroup.procs"\nexec "%s" "$@"\n' "$group" \
    "$daemon" >"$inside"
chmod +x "$inside"
daemon=$inside

patience=()
start
matches "the plan does not see the group" " limit=$((memory / 100 * 90))" \
    "$(grep 'memory at most' "$log")"
for attack in unread bombs headers both; do
    python container.py $attack
    healthy "$attack"
    equal "$attack: kills" 0 "$(kills)"
done
finish
