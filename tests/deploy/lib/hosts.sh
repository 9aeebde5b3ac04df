# Sourced after steps.sh, in a network namespace of the test's own: hosts on one
# machine, which are network namespaces on a bridge. Wants root.
#
#   hosts_bridge         the host of the test itself has 10.77.0.1
#   host NAME NUMBER     another one, 10.77.0.NUMBER: `ip netns exec NAME COMMAND...`
hosts_bridge() {
    ip link set lo up
    # Where `ip netns` keeps its names: the test's own, if it has its own mounts.
    mkdir -p /run/netns && mount -t tmpfs none /run/netns || return
    ip link add hosts type bridge
    ip address add 10.77.0.1/24 dev hosts
    ip link set hosts up
}

host() { # NAME NUMBER
    ip netns add "$1" || return
    ip link add "to-$1" type veth peer name eth0 netns "$1"
    ip link set "to-$1" master hosts up
    ip -n "$1" link set lo up
    ip -n "$1" address add "10.77.0.$2/24" dev eth0
    ip -n "$1" link set eth0 up
    ip -n "$1" route add default via 10.77.0.1
}
