# Sourced by run.sh: how each client is installed, into $env, at the versions of
# the files here. What is there already is kept. $work/install has the output of
# the last installer; its last line is the reason when one fails.

quietly() {
    "$@" >"$work/install" 2>&1
}

# Why something is not to be had.
lacks() { # REASON
    echo "$*" >"$work/install"
    return 1
}

environment() { # FOLDER
    [ -x "$env/$1/bin/python" ] || quietly python3 -m venv "$env/$1"
}

pip() { # ENVIRONMENT ARGUMENT...
    quietly nice "$env/$1/bin/python" -m pip install --progress-bar off \
        --disable-pip-version-check "${@:2}"
}

packages() { # NAME...: of the main environment
    environment python && pip python --constraint "$clients/requirements/main.txt" numpy "$@"
}

locked() { # ENVIRONMENT: exactly what its file lists
    local file=$clients/requirements/$1.txt

    environment "$1" || return
    cmp -s "$file" "$env/$1/installed" && return
    pip "$1" --no-deps --requirement "$file" && cp "$file" "$env/$1/installed"
}

install_scrape() { program promtool curl && packages prometheus_client; }

# NumPy makes and reads the .npy files.
install_httpie() { program http jq && packages; }

install_perf_analyzer() {
    packages || return
    [ -x "$perf/bin/perf_analyzer" ] || pip python --no-deps --target "$perf" \
        --requirement "$clients/requirements/perf_analyzer.txt" || return
    quietly "$perf/bin/perf_analyzer" --version
}

at_least() { # WHAT MINIMUM VERSION
    [ "$(printf '%s\n' "$2" "$3" | sort -V | head -n 1)" = "$2" ] ||
        lacks "$1 $2 or later is needed, this is ${3:-none}"
}

program() { # NAME...
    local name

    for name in "$@"; do
        command -v "$name" >"$work/install" || lacks "there is no program $name" || return
    done
}

has_node() { program node && at_least Node.js 18 "$(node --version | tr -d v)"; }

has_java() {
    program java && at_least Java 17 "$(java --version | sed -nE '1s/^[^ ]+ ([0-9.]+).*/\1/p')"
}

has_go() { # MINIMUM
    program go && at_least Go "$1" "$(go env GOVERSION | tr -d 'go')"
}

build_rust() {
    program cargo && at_least Rust 1.85 "$(cargo --version | cut -d' ' -f2)" || return
    mkdir -p "$env/rust"
    cp -a "$clients/rust/." "$env/rust/"
    quietly nice cargo build --quiet --manifest-path "$env/rust/Cargo.toml"
}

# What the packages bring is of this day, too.
node_packages() {
    has_node && program npm || return
    cmp -s "$clients/node/package.json" "$env/node/installed" && return
    mkdir -p "$env/node"
    cp "$clients/node/package.json" "$env/node/"
    quietly npm install --prefix "$env/node" --before 2026-11-27 --ignore-scripts --no-audit --no-fund &&
        cp "$clients/node/package.json" "$env/node/installed"
}

# Programs of Go's, named by their modules' own versions.
go_program() { # NAME PACKAGE@VERSION
    [ -x "$programs/$1" ] && return
    has_go "$GO_OF_GRPC" && GOBIN=$programs GOFLAGS=-buildvcs=false quietly nice go install "$2"
}

readonly GO_OF_GRPC=1.21 # it fetches the newer one that a module asks for

install_grpcurl() { program jq && go_program grpcurl github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4; }
install_ghz() { program jq curl && go_program ghz github.com/bojand/ghz/cmd/ghz@v0.93.0; }
install_h2spec() { go_program h2spec github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible; }

# Stubs and the client that uses them; protoc is the one of grpcio-tools.
build_go_grpc() {
    local module=example.org/flipd/grpc file made=()

    packages grpcio-tools &&
        go_program protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12 &&
        go_program protoc-gen-go-grpc google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2 || return
    for file in grpc_service.proto model_config.proto; do
        made+=("M$file=$module/inference")
    done
    rm -rf "$env/go/grpc"
    cp -r "$clients/go_grpc" "$env/go/grpc"
    made=$(IFS=, && echo "module=$module,${made[*]}")
    PATH=$programs:$PATH quietly "$env/python/bin/python" -m grpc_tools.protoc -I "$protos" \
        --go_out="$env/go/grpc" --go_opt="$made" --go-grpc_out="$env/go/grpc" --go-grpc_opt="$made" \
        grpc_service.proto model_config.proto &&
        quietly nice go -C "$env/go/grpc" build -o client .
}

build_java_grpc() {
    has_java && program mvn || return
    quietly nice mvn -q -B -f "$clients/java_grpc/pom.xml" -Dprotos="$protos" -Dbuild="$env/java_grpc" package
}

generators() { locked generators; }
typescript_generators() { locked generators && node_packages; }
java_generators() { locked generators && has_java && program mvn; }
go_generators() { locked generators && has_go 1.23; }
