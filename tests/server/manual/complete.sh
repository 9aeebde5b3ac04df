#!/bin/bash
# What bash offers for words of a command line, as the readline library asks.
#
# Usage: complete.sh COMPLETION
. "$1"
cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT
touch models.json 'two words.pem'
failures=0

# The last WORD is completed; '=' is a word of its own.
offers() { # EXPECTED WORD...
    local expected=$1

    shift
    COMP_WORDS=(flipd "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _flipd
    [ "${COMPREPLY[*]}" = "$expected" ] && return
    echo "FAILED: flipd $*: <${COMPREPLY[*]}>, not <$expected>"
    failures=$((failures + 1))
}

offers "--http-port" --http-p
offers "--tls-cert --tls-key --tls-client-ca" --tls
offers "-h" -h
offers "" --nothing
offers "text json" --log-format ""
offers "json" --log-format j
offers "text json" --log-format =
offers "json" --log-format = j
offers "json" --http-port 1 --log-format j
offers "localhost" --http-address l
offers "models.json" --models m
offers "two words.pem" --tls-key = t
[ ${#COMPREPLY[@]} = 1 ] || { echo "FAILED: a name with a blank"; exit 1; }
offers "" --http-port ""
offers "" --http-port = 8
# A flag takes a value behind '=' only.
offers "true false" --access-log =
offers "false" --access-log = f
offers "--probe" --access-log --pr
[ "$(complete -p flipd)" = "complete -F _flipd flipd" ] || failures=1
exit $failures
