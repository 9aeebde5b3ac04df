#!/bin/bash
# Tests the chart and KServe's manifests: their text, schemas and policies, and the life
# of the Pods that they describe, with the daemon of the release build. There is no
# kubelet here: nothing is scheduled. A part of tests/deploy/run.sh.
#
# Usage: tests/deploy/kubernetes/test.sh [--renew | STEP...]
#   --renew  write default.yaml and differences/*.diff anew, and look at them
#   STEP     only these: text schemas types policy pod upgrade kserve, and
#            server, which runs by name only (tests/deploy/kubernetes/long.sh)
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib/steps.sh"
. "$root/tests/deploy/lib/debian.sh"
. "$root/tests/deploy/lib/engine.sh"
. "$root/tests/deploy/lib/python.sh"
. "$root/tests/deploy/lib/hosts.sh"
. "$root/tests/deploy/lib/page.sh"
. "$here/tools.sh"
engine_isolate "$@"

readonly KUBERNETES=1.37
product=$root/deploy/kubernetes
chart=$product/chart
export work PYTHONDONTWRITEBYTECODE=1
renew=
[ "${1:-}" != --renew ] || { renew=1; shift; }
only=" $* "

wanted() { [ "$only" = "  " ] || [[ $only == *" $1 "* ]]; } # STEP

render() { # OPTION... of helm template
    helm template release "$chart" --namespace space --kube-version $KUBERNETES "$@" \
        2>"$work/helm" || { cat "$work/helm"; return 1; }
}

lint() {
    helm lint --strict --kube-version $KUBERNETES "$chart" &&
        for values in "$here"/differences/*.yaml; do
            helm lint --strict --kube-version $KUBERNETES -f "$values" "$chart" || return
        done
}

# The chart has them as links to deploy/watch; a package has to have what they lead to.
packed() {
    local name

    helm package "$chart" --destination "$work" >"$work/packed" &&
        tar -C "$work" -xzf "$work"/flipd-*.tgz || return
    for name in rules.yaml dashboard.json; do
        [ ! -L "$work/flipd/files/$name" ] &&
            cmp "$root/deploy/watch/$name" "$work/flipd/files/$name" || return
    done
}

versions() { # the chart, the runtime and the source have one
    local version

    version=$(sed -n 's/^project(flipd VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
    echo "the source is $version"
    grep -qx "version: $version" "$chart/Chart.yaml" &&
        grep -qx "appVersion: $version" "$chart/Chart.yaml" &&
        grep -q "image: flipd:$version\$" "$product/kserve/runtime.yaml"
}

# The chart's version is left out: a new one is no difference.
plain() { sed -E 's/(flipd[:-]|version: ")[0-9]+\.[0-9]+\.[0-9]+/\1VERSION/'; }

default_manifest() {
    render | plain >"$work/default.yaml" && [ -s "$work/default.yaml" ] || return
    [ -z "$renew" ] || cp "$work/default.yaml" "$here/default.yaml"
    diff -u "$here/default.yaml" "$work/default.yaml"
}

# Ten and more lines that are removed are named by their hunk's head, and by their documents.
shortened() {
    awk '/^@@/ { long = /^@@ -[0-9]+,[0-9][0-9]/ } !long || !/^-/ || /^-# Source/'
}

difference() { # NAME
    local kept=$here/differences/$1.diff

    render -f "$here/differences/$1.yaml" >"$work/$1.rendered.yaml" || return
    plain <"$work/$1.rendered.yaml" | diff -U 0 -F '^kind:' --label default --label "$1" \
        "$here/default.yaml" - | shortened >"$work/$1.diff"
    [ -s "$work/$1.diff" ] || { echo "these values change nothing"; return 1; }
    [ -z "$renew" ] || cp "$work/$1.diff" "$kept"
    diff -u "$kept" "$work/$1.diff"
}

differences() {
    local values bad=0

    for values in "$here"/differences/*.yaml; do
        difference "$(basename "$values" .yaml)" || bad=1
    done
    return $bad
}

# Lines of VALUES, a tab, and a text of the manifests or of the message that refuses them.
each_has_its_text() { # FILE CODE of helm
    local values text code bad=0

    while IFS=$'\t' read -r values text; do
        code=0
        render --set "$values" >"$work/out" || code=1
        if [ $code != "$2" ]; then
            echo "$values: helm ended with $code" && bad=1
        elif ! grep -qF -- "$text" "$work/out"; then
            echo "$values: there is no $text:" && cat "$work/out" && bad=1
        fi
    done <"$here/$1"
    return $bad
}

# All that the chart can make, by every file of values, and KServe's.
all_manifests() {
    render >"$work/default.rendered.yaml" || return
    render --set prometheusRule.enabled=true,dashboard.enabled=true \
        >"$work/watch.rendered.yaml" || return
    differences >/dev/null
    ls "$work"/*.rendered.yaml
}

# Of Kubernetes' own kinds; those of other projects are a matter of `types`.
schemas() {
    all_manifests && "$CACHE/python/bin/python" "$here/schemas.py" \
        "$work"/*.rendered.yaml "$product"/kserve/*.yaml
}

types() { all_manifests && "$tools/types" "$work"/*.rendered.yaml "$product"/kserve/*.yaml; }

# A manifest with a wrong field, by which the checks are seen to check.
wrong() { # COMMAND...
    sed 's/terminationGracePeriodSeconds/terminationGraceSeconds/' \
        "$work/default.rendered.yaml" >"$work/wrong.yaml"
    ! "$@" "$work/wrong.yaml"
}

# Each alone: two files of one release would be two Deployments of one autoscaler.
policy() {
    local name ignored

    mapfile -t ignored < <(sed -n 's/^[a-z]/--ignore-test\n&/p' "$here/kube-score.txt")
    all_manifests || return
    for name in default autoscaling cert-manager models tokens; do
        kube-score score --kubernetes-version v$KUBERNETES "${ignored[@]}" \
            --output-format ci "$work/$name.rendered.yaml" || return
    done
}

policy_sees() { # a container that may write to its root
    sed 's/readOnlyRootFilesystem: true/readOnlyRootFilesystem: false/' \
        "$work/default.rendered.yaml" >"$work/loose.yaml"
    ! kube-score score --output-format ci "$work/loose.yaml"
}

pods() {
    hosts_bridge || return
    for number in 1 2 3 4; do
        host pod$number 2$number || return
    done
    mkdir -p /etc/flipd && mount -t tmpfs none /etc/flipd &&
        cp /etc/hosts "$work/hosts" && mount --bind "$work/hosts" /etc/hosts
}

life() { # NAME OPTION...: a Pod of the chart with these values
    render "${@:2}" >"$work/$1.life.yaml" && rm -rf /etc/flipd/* &&
        python "$here/life.py" "$work/$1.life.yaml" pod1 10.77.0.21
}

python() { "$CACHE/python/bin/python" "$@"; }

seen_of_step() { sed -n '/^seen /p' "$work/step"; }

upgrade() {
    cc -O2 -D_GNU_SOURCE -o "$work/open_loop" "$root/tests/load/open_loop.c" -lm &&
        python "$here/request.py" 32 8 4 >"$work/request" && render >"$work/upgrade.yaml" &&
        python "$here/upgrade.py" "$work/upgrade.yaml" "$work/open_loop" "$work/request"
}

kserve() { rm -rf /etc/flipd/* && python "$here/kserve.py" "$product/kserve"; }

if ! go_is_new; then
    lacks "the chart and the manifests" \
        "helm and the others are built by Go 1.21 or later, this is $(go version 2>&1 | head -n 1)"
    finish
fi
if wanted text || wanted schemas || wanted types || wanted policy || wanted pod ||
    wanted upgrade || wanted server; then
    step "helm $HELM is here" helm_tool || die "without helm there is nothing to test"
fi
step "PyYAML and kubernetes-validate are here" python_tools || finish
if wanted text; then
    step "helm lint, with every file of values" lint
    step "chart, runtime and source have one version" versions
    step "helm package: rules and dashboard are those of deploy/watch" packed
    step "the default manifest is the one that is kept" default_manifest
    step "each file of values makes the difference that is kept" differences
    step "values arrive where they belong" each_has_its_text shown.txt 0
    step "wrong values are refused by name" each_has_its_text refused.txt 1
fi
[ -z "$renew" ] || finish
if wanted schemas; then
    step "schemas of Kubernetes 1.31, 1.34 and $KUBERNETES, strictly" schemas
    step "a misspelt field is noticed" wrong python "$here/schemas.py"
fi
if wanted types; then
    if step "the types of KServe, cert-manager and Prometheus' operator are here" types_tool; then
        step "every manifest fits the types of its project" types
        step "a misspelt field is noticed" wrong "$tools/types"
    fi
fi
if wanted policy && step "kube-score is here" score_tool; then
    step "kube-score finds nothing" policy
    step "a writable root file system is noticed" policy_sees
fi
if wanted pod || wanted upgrade || wanted kserve; then
    step "hosts for Pods" pods || finish
fi
if wanted pod; then
    step "a Pod of the default values lives and ends" life default && seen_of_step
    step "a Pod with TLS, tokens and models: renewed, tested, ended" life all \
        -f "$here/differences/cert-manager.yaml" -f "$here/differences/tokens.yaml" \
        -f "$here/differences/models.yaml" && seen_of_step
fi
if wanted upgrade; then
    step "helm upgrade's order of events at 70 % load" upgrade && seen_of_step
fi
if wanted kserve; then
    step "KServe's runtime and service: the model answers by the service's name" kserve
fi
# The server is a quarter of an hour to build, so it is asked for by name.
if [ "$only" != "  " ] && wanted server; then
    . "$here/server.sh"
fi
lacks "rollout status, helm test, KServe and autoscaling in a cluster with nodes" \
    "a node wants container images from a registry; their parts are run by the steps of this and kubernetes/long"
finish
