# Sourced by test.sh: a real API server and its store, without nodes: it admits, defaults,
# validates and keeps what the chart makes. Both are built from their Go modules once,
# which takes a quarter of an hour on two cores.
readonly API_SERVER=1.35.4

# The server's own go.mod names its parts by folders of its source; from outside they are
# modules of the same version.
server_module() {
    local source part

    [ -e go.mod ] || go mod init flipd.test/server || return
    go mod edit -require=k8s.io/kubernetes@v$API_SERVER || return
    source=$(outside go mod download -json k8s.io/kubernetes@v$API_SERVER | jq -r .Dir)
    for part in $(sed -nE 's#^\s*(k8s.io/[a-z-]+) => .*#\1#p; s#^\s*(k8s.io/[a-z-]+) v0\.0\.0$#\1#p' \
        "$source/go.mod" | sort -u); do
        go mod edit -replace="$part=$part@v0.${API_SERVER#1.}" || return
    done
    go mod edit -tool=k8s.io/kubernetes/cmd/kube-apiserver -tool=go.etcd.io/etcd/server/v3 \
        -tool=k8s.io/kubernetes/cmd/kubectl && outside go mod tidy
}

server_tools() {
    local version=k8s.io/component-base/version code=0 flags

    [ -x "$tools/kube-apiserver" ] && [ -x "$tools/etcd" ] && [ -x "$tools/kubectl" ] && return
    mkdir -p "$CACHE/go/apiserver" && cd "$CACHE/go/apiserver" || return
    # Without these its version is none, and Helm refuses it.
    flags="-X $version.gitVersion=v$API_SERVER -X $version.gitMajor=1 -X $version.gitMinor=${API_SERVER:2:2}"
    server_module &&
        outside go build -ldflags "$flags" -o "$tools/kube-apiserver" k8s.io/kubernetes/cmd/kube-apiserver &&
        outside go build -o "$tools/etcd" go.etcd.io/etcd/server/v3 &&
        outside go build -o "$tools/kubectl" k8s.io/kubernetes/cmd/kubectl || code=$?
    cd "$root" && return $code
}

server_start() {
    local folder=$work/server

    ip link set lo up && ip address add 10.97.0.1/32 dev lo || return
    mkdir -p "$folder" && openssl genrsa -out "$folder/accounts.key" 2048 || return
    echo "token,admin,1,system:masters" >"$folder/tokens"
    etcd --data-dir "$folder/etcd" --log-level error &
    at_end kill $!
    kube-apiserver --etcd-servers http://127.0.0.1:2379 --cert-dir "$folder/certs" \
        --secure-port 6443 --bind-address 127.0.0.1 --advertise-address 10.97.0.1 \
        --token-auth-file "$folder/tokens" --service-account-issuer https://flipd.test \
        --service-cluster-ip-range 10.96.0.0/16 \
        --service-account-key-file "$folder/accounts.key" --authorization-mode RBAC \
        --service-account-signing-key-file "$folder/accounts.key" >"$folder/log" 2>&1 &
    at_end kill $!
    export KUBECONFIG=$folder/config
    kubectl config set-cluster test --server https://127.0.0.1:6443 --insecure-skip-tls-verify
    kubectl config set-credentials admin --token token
    kubectl config set-context test --cluster test --user admin --namespace space
    kubectl config use-context test
    within 60 kubectl get --raw /readyz >"$folder/ready" 2>&1 || { tail -n 20 "$folder/log"; return 1; }
}

# Restricted is enforced, and a warning is an error. A controller would make the account.
server_namespace() {
    kubectl create namespace space && kubectl create serviceaccount default &&
        kubectl label namespace space \
        pod-security.kubernetes.io/enforce=restricted pod-security.kubernetes.io/warn=restricted
}

server_kserve() {
    local source

    source=$(cd "$CACHE/go/types" && go list -m -f '{{.Dir}}' github.com/kserve/kserve) || return
    kubectl apply --server-side \
        -f "$source/config/crd/full/serving.kserve.io_clusterservingruntimes.yaml" \
        -f "$source/config/crd/full/serving.kserve.io_inferenceservices.yaml" || return
    within 20 kubectl get inferenceservices &&
        kubectl apply --validate=strict --warnings-as-errors -f "$product/kserve/runtime.yaml" \
            -f "$product/kserve/service.yaml"
}

# Nothing of the chart is unknown to the server, which warns of nothing.
server_install() {
    kubectl apply --dry-run=server --validate=strict --warnings-as-errors \
        -f "$work/default.rendered.yaml" &&
        helm install release "$chart" --namespace space &&
        kubectl get deployment,service,pdb,networkpolicy
}

server_upgrade() {
    local values

    for values in autoscaling tokens models options placement service network names; do
        helm upgrade release "$chart" --namespace space -f "$here/differences/$values.yaml" ||
            return
    done
    helm rollback release 1 --namespace space && helm history release --namespace space
}

# The blocks of the pages, as they stand.
runbook() { # PATTERN [PAGE]
    block "$1" "${2:-deploy/kubernetes/README.md}" && bash -ex "$work/block"
}

server_certificates() {
    local source

    source=$(cd "$CACHE/go/types" && go list -m -f '{{.Dir}}' github.com/cert-manager/cert-manager) &&
        grep -v '{{' "$source/deploy/crds/crd-certificates.yaml" | kubectl apply --server-side -f - &&
        within 20 kubectl get certificates
}

# A Deployment's Pods are only warned about; a Pod itself is refused.
server_pod() {
    python "$here/template.py" "$work/default.rendered.yaml" >"$work/pod.yaml" &&
        kubectl apply --warnings-as-errors -f "$work/pod.yaml" &&
        sed 's/runAsNonRoot: true/runAsNonRoot: false/; s/name: pod/name: root/' "$work/pod.yaml" >"$work/root.yaml" &&
        ! kubectl apply -f "$work/root.yaml"
}

if step "kube-apiserver $API_SERVER and etcd are here" server_tools && all_manifests >"$work/log" &&
    step "a real API server starts" server_start; then
    step "a namespace with restricted Pod Security" server_namespace
    step "helm install: the server takes every object" server_install
    step "a Pod of the Deployment is admitted, one as root is not" server_pod
    step "helm upgrade by eight files of values, and rollback" server_upgrade
    step "KServe's CRDs take runtime and service" server_kserve
    step "the pages: KServe" runbook 'kserve/service.yaml' deploy/README.md
    step "the pages: helm install" runbook 'helm install flipd' deploy/README.md
    step "cert-manager's CRD" server_certificates &&
        step "the pages: a token and a certificate" runbook 'tls.certManager.enabled'
    step "the pages: helm upgrade" runbook 'image.tag=NEW'
    step "the pages: helm rollback" runbook '^helm rollback'
fi
