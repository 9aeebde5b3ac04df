# Sourced after steps.sh: a small Debian in a folder, from the mirrors of this machine,
# to change root into and to make images of. Wants root.
#
#   debian_tar RELEASE [ARCH]   prints the path of a tar with it, made once
#   debian_root RELEASE FOLDER  unpacks it; names are resolved as on this machine
#   debian_install FOLDER PACKAGE...  adds packages; none of them is started
#   debian_machine FOLDER COMMAND...    runs COMMAND in it as in a machine of its own
#   debian_container FOLDER COMMAND...  in one that gives no namespaces
#
# ARCH is this machine's. Another one is unpacked but not configured: its own programs
# would have to run for that.

# apt's lists of this machine for RELEASE: "URI SUITE" a line. Whoever takes security
# updates here has them there too.
debian_sources() { # RELEASE
    local own

    own=$(. /etc/os-release && echo "$VERSION_CODENAME")
    apt-get update --print-uris |
        sed -nE "s#^'(.*)/dists/($own[^/]*)/InRelease'.*#\1 \2#p" |
        sed "s# $own# $1#" | sort -u
}

# With all updates; without logs, caches and what belongs to this machine.
debian_make() { # RELEASE ARCH TAR
    local folder=$work/debian-$1-$2 mirror foreign=()

    mirror=$(debian_sources "$1" | sed -n "s/ $1\$//p" | head -n 1)
    [ "$2" = "$(dpkg --print-architecture)" ] || foreign=(--foreign)
    outside debootstrap --variant=minbase --arch="$2" "${foreign[@]}" "$1" "$folder" \
        "$mirror" || return
    debian_sources "$1" | sed 's/.*/deb & main/' >"$folder/etc/apt/sources.list"
    if [ ${#foreign[@]} = 0 ]; then
        debian_names "$folder"
        debian_upgrade "$folder" || return
    fi
    rm -rf "$folder"/var/{log,cache/apt/archives}/* "$folder"/var/lib/apt/lists/* \
        "$folder"/var/cache/{apt/*.bin,ldconfig/aux-cache,debconf/*-old} \
        "$folder"/etc/{resolv.conf,hosts,hostname,machine-id}
    tar -C "$folder" --sort=name --numeric-owner -cf "$3.part" . &&
        mv "$3.part" "$3" && rm -rf "$folder"
}

debian_upgrade() { # FOLDER
    outside chroot "$1" sh -ec 'export DEBIAN_FRONTEND=noninteractive
        apt-get -q -o Acquire::Check-Valid-Until=false update
        apt-get -q -y dist-upgrade'
}

debian_names() { cp -L /etc/resolv.conf /etc/hosts "$1/etc/"; } # FOLDER

debian_tar() { # RELEASE [ARCH]
    local arch=${2:-$(dpkg --print-architecture)}
    local tar=$CACHE/debian-$1-$arch.tar

    [ -e "$tar" ] || debian_make "$1" "$arch" "$tar" >&2 || return
    echo "$tar"
}

debian_root() { # RELEASE FOLDER
    local tar

    tar=$(debian_tar "$1") && mkdir -p "$2" && tar -C "$2" -xf "$tar" &&
        debian_names "$2"
}

debian_install() { # FOLDER PACKAGE...
    outside chroot "$1" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 sh -ec '
        apt-get -q -o Acquire::Check-Valid-Until=false update
        apt-get -q -y install --no-install-recommends "$@"' sh "${@:2}"
}

# Runs COMMAND as root in FOLDER, as its first process, with the /sys, the /dev and the
# network of this machine. What COMMAND leaves behind ends with it. Namespaces can be made:
# the root is a mount.
debian_machine() { # FOLDER COMMAND...
    debian_mounted 'mount --bind "$0" "$0"' 'pivot_root . mnt
        exec chroot . sh -ec "umount -l /mnt; exec \"\$@\"" sh "$@"' "$@"
}

# Here none can be made, as in many containers: they want a right that is taken away, and
# those of users want a root that was not changed.
debian_container() { # FOLDER COMMAND...
    debian_mounted : 'exec chroot . "$@"' "$1" \
        setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin -- "${@:2}"
}

debian_mounted() { # BEFORE ENTER FOLDER COMMAND...
    unshare --mount --propagation private --pid --fork --kill-child sh -ec "$1"'
        cd "$0"
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount -t tmpfs tmpfs dev/shm
        '"$2" "$3" env -i HOME=/root LC_ALL=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:4}"
}
