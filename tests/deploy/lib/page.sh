# Sourced after steps.sh: the blocks of a page that a part runs, as they stand. Such a
# block begins with ```sh part=PART; tests/docs/check_runbook.py sees that each of them is
# asked for by its part.
#
#   block PATTERN [PAGE]           writes the one that has a line like PATTERN, of
#                                  deploy/README.md, to $work/block
#   each_block PAGE PART FOLDER    writes all of PART's to FOLDER/01, FOLDER/02, ...
block() {
    awk -v pattern="$1" '
        /^```/ { if (found) exit; inside = !inside; text = ""; next }
        inside { text = text $0 "\n"; found = found || $0 ~ pattern }
        END { if (found) printf "%s", text }' "${2:-$root/deploy/README.md}" >"$work/block"
    [ -s "$work/block" ] || { echo "no block of the page has $1"; return 1; }
}

each_block() {
    mkdir -p "$3" && awk -v part="part=$2" -v folder="$3" '
        /^```/ { inside = !inside; mine = 0 }
        /^```sh / && inside { for (i = 2; i <= NF; i++) mine = mine || $i == part }
        mine && /^```/ { file = sprintf("%s/%02d", folder, ++n); next }
        mine { print >file }
        END { exit n == 0 }' "$1" || { echo "$1 has no block of $2"; return 1; }
}
