# Sourced by test.sh: the programs that it needs beside Debian's, built from Go modules
# into $CACHE/go/bin at these versions, or installed from PyPI.
readonly HELM=v3.22.0 SCORE=v1.20.0 KSERVE=v0.17.0 CERT_MANAGER=v1.18.6
readonly OPERATOR=v0.79.2 KUBERNETES_VALIDATE=1.37.0 PYYAML=6.0.3
tools=$CACHE/go/bin
export PATH=$tools:$PATH

# From 1.21 on Go fetches the version of itself that a module wants.
go_is_new() {
    local version

    version=$(go env GOVERSION 2>/dev/null | tr -d go) && [ -n "$version" ] &&
        [ "$(printf '%s\n' 1.21 "$version" | sort -V | head -n 1)" = 1.21 ]
}

# A program of a module, at the versions of its REQUIREMENTs (MODULE@VERSION). A second
# run finds it. FOLDER: its source is a folder of ours, else it is PACKAGE of a module.
go_program() { # NAME [--from FOLDER | --package PACKAGE] REQUIREMENT... [OLD=NEW@VERSION...]
    local name=$1 how=$2 what=$3 folder=$CACHE/go/$1 one options=()

    shift 3
    [ "$(cat "$folder/made" 2>/dev/null)" = "$*" ] && [ -x "$tools/$name" ] &&
        [ "$how" = --package ] && return
    for one in "$@"; do
        case $one in
        *=*) options+=("-replace=$one") ;;
        *) options+=("-require=$one") ;;
        esac
    done
    mkdir -p "$folder" "$tools" && cd "$folder" && rm -f made || return
    if [ "$how" = --from ]; then
        cp "$what"/*.go . && what=.
    else
        options+=("-tool=$what")
    fi
    [ -e go.mod ] || go mod init "flipd.test/$name" || return
    go mod edit "${options[@]}" && outside go mod tidy && outside go build -o "$tools/$name" "$what" &&
        echo "$*" >made
    local code=$?
    cd "$root" && return $code
}

helm_tool() { go_program helm --package helm.sh/helm/v3/cmd/helm "helm.sh/helm/v3@$HELM"; }

score_tool() {
    go_program kube-score --package github.com/zegl/kube-score/cmd/kube-score \
        "github.com/zegl/kube-score@$SCORE"
}

# What KServe's own go.mod replaces, which counts in its own builds only.
readonly KSERVE_RUNTIME=sigs.k8s.io/controller-runtime=sigs.k8s.io/controller-runtime@v0.19.7

types_tool() {
    go_program types --from "$here/types" "github.com/kserve/kserve@$KSERVE" \
        "github.com/cert-manager/cert-manager@$CERT_MANAGER" \
        "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring@$OPERATOR" \
        $KSERVE_RUNTIME
}

python_tools() {
    python_with "PyYAML==$PYYAML" "kubernetes-validate==$KUBERNETES_VALIDATE"
}
