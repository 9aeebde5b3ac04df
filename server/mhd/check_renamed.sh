#!/bin/sh
# Fails when an archive still asks the system for a call that renamed.syms
# renames, or for a sibling of one: a fortified form, or another call that
# receives, sends, shuts down or waits.
#
# Usage: check_renamed.sh NM ARCHIVE
left=$("$1" -u "$2" | awk '{print $NF}' | sort -u |
    grep -E '^(__)?(recv|recvfrom|recvmsg|recvmmsg|send|sendto|sendmsg|sendmmsg|shutdown|readv|writev|epoll_wait|epoll_pwait|epoll_pwait2)(_chk)?$')
[ -z "$left" ] && exit
echo "$2 still calls the system's:" $left >&2
exit 1
