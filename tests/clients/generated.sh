#!/bin/bash
# Generates a client from the contract, compiles it and makes one inference with
# it; or lints the contract.
#
# Usage: generated.sh NAME CONTRACT ADDRESS FOLDER TOOLS
#   NAME      redocly, spectral, openapi_python_client, openapi_typescript, or of
#             openapi-generator python, typescript, go_client, java_client
#   CONTRACT  the daemon's openapi.yaml
#   FOLDER    where the client is generated
#   TOOLS     build/clients: generators/ is a Python environment, node/ has
#             node_modules, go/ Go's caches
set -uo pipefail

name=$1 contract=$(realpath "$2") address=$3 tools=$(realpath "$5")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/generated" && pwd)
python=$tools/generators/bin/python
node=$tools/node/node_modules/.bin
out=$4/$name
log=$out/log

# Runs a step; its output is shown only when it fails.
step() { # WHAT COMMAND...
    "${@:2}" >"$log" 2>&1 && return
    echo "  FAILED: $name: $1"
    tail -n 40 "$log"
    exit 1
}

generate() { # GENERATOR [OPTION...]
    step generate "$tools/generators/bin/openapi-generator-cli" generate \
        -i "$contract" -g "$1" -o "$out/client" "${@:2}"
}

compile_typescript() { # SOURCE
    ln -s "$tools/node/node_modules" "$out/node_modules"
    cp "$here/$1.ts" "$out/"
    step compile "$node/tsc" --outDir "$out/js" --rootDir "$out" --target es2022 \
        --module node16 --moduleResolution node16 --lib es2022,dom --strict \
        --skipLibCheck --types node --typeRoots "$tools/node/node_modules/@types" \
        "$out/$1.ts"
    ln -s "$tools/node/node_modules" "$out/js/node_modules"
}

make_go() {
    mkdir "$out/infer"
    cp "$here/infer.go" "$out/infer/main.go"
    cat >"$out/infer/go.mod" <<'END'
module example.org/infer

go 1.19

require github.com/GIT_USER_ID/GIT_REPO_ID v0.0.0

replace github.com/GIT_USER_ID/GIT_REPO_ID => ../client
END
    export GOCACHE=$tools/go/build GOFLAGS=-mod=mod
    cd "$out/infer" || exit 1
    step compile go build -o "$out/program" .
}

make_java() {
    step compile mvn -q -B -Dmaven.test.skip=true -Dmaven.javadoc.skip=true \
        -Dmdep.outputFile="$out/path" -f "$out/client/pom.xml" \
        compile dependency:build-classpath
    classes=$out/client/target/classes:$(cat "$out/path")
}

rm -rf "$out"
mkdir -p "$out"
case $name in
redocly)
    step lint "$node/redocly" lint --format=stylish "$contract"
    echo "  1 checks, 0 failed"
    ;;
spectral)
    echo 'extends: ["spectral:oas"]' >"$out/rules.yaml"
    step lint "$node/spectral" lint --ruleset "$out/rules.yaml" \
        --fail-severity error "$contract"
    echo "  1 checks, 0 failed"
    ;;
openapi_python_client)
    step generate "$tools/generators/bin/openapi-python-client" generate \
        --path "$contract" --output-path "$out/flipd_client" --meta none
    step compile "$python" -m compileall -q "$out/flipd_client"
    PYTHONPATH=$out "$python" "$here/openapi_python_client.py" "$address"
    ;;
python)
    generate python
    step compile "$python" -m compileall -q "$out/client/openapi_client"
    PYTHONPATH=$out/client "$python" "$here/openapi_generator.py" "$address"
    ;;
typescript)
    generate typescript-fetch
    compile_typescript infer
    node "$out/js/infer.js" "$address"
    ;;
go_client)
    generate go
    make_go
    "$out/program" "$address"
    ;;
java_client)
    # Arguments by name, as there are many and null is most of them.
    generate java --library native \
        --additional-properties useSingleRequestParameter=true
    make_java
    java -cp "$classes" "$here/Infer.java" "$address"
    ;;
openapi_typescript)
    step generate "$node/openapi-typescript" "$contract" --output "$out/schema.d.ts"
    compile_typescript openapi_fetch
    node "$out/js/openapi_fetch.js" "$address"
    ;;
*)
    echo "unknown generator $name"
    exit 2
    ;;
esac
