# Sourced by the clients that are shell scripts: counts what is checked.
checks=0
failures=0

check() { # WHAT EXPECTED GOT
    checks=$((checks + 1))
    [ "$2" = "$3" ] && return
    failures=$((failures + 1))
    echo "  FAILED: $1: expected <$2>, got <${3:0:400}>"
}

# The script's last line and its exit code.
finish() {
    echo "  $checks checks, $failures failed"
    [ $failures = 0 ]
}
