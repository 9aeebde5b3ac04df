# Sourced by the two commands of README.md: what a build says while it runs.
#
#   build_aloud WHAT LOG COMMAND...  says WHAT and runs COMMAND, a build by ninja, whose
#                                    steps it counts: on a terminal in one line,
#                                    elsewhere in quarters. What the build says is in
#                                    LOG, and shown if it fails. Wants pipefail
progress() {
    local line quarter=0 end=

    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        if [ -t 1 ]; then
            printf '\r  %d of %d steps' "${BASH_REMATCH[@]:1:2}"
            end=$'\n'
        elif [ $((4 * BASH_REMATCH[1] / BASH_REMATCH[2])) -gt $quarter ]; then
            quarter=$((4 * BASH_REMATCH[1] / BASH_REMATCH[2]))
            printf '  %d of %d steps\n' "${BASH_REMATCH[@]:1:2}"
        fi
    done
    printf %s "$end"
}

build_aloud() { # WHAT LOG COMMAND...
    echo "$1"
    if "${@:3}" 2>&1 | tee "$2" | progress; then
        return
    fi
    cat "$2" >&2
    echo "$1: failed: ${*:3}" >&2
    return 1
}
