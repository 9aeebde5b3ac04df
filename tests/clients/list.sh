# Sourced by run.sh: the clients, what each shows, how it is installed and run.
# shellcheck disable=SC2154 # run.sh and install.sh set these

triton="packages tritonclient[http] ml_dtypes"
python_client triton "every type, option, admin call and shared memory" "$triton" triton.py http "$address"
python_client triton_aio "the same in asyncio" "$triton" triton.py aio "$address"
python_client kserve "health, types in four forms, parameters, errors" "packages kserve" kserve_sdk.py "$address"
client mlserver_types "types and codecs in requests and replies, columns of lengths, parameters" \
    "locked mlserver" "$env/mlserver/bin/python" -W ignore "$clients/mlserver_types.py" "$address"
client mlserver_infer "mlserver infer: one by one, in batches, in bytes, several workers, errors" \
    "locked mlserver" "$env/mlserver/bin/python" -W ignore "$clients/mlserver_infer.py" \
    "$env/mlserver/bin/mlserver" "$address" "$work"
client pytriton "ModelClient, its asyncio and its futures: types, names, parameters, errors" \
    "locked pytriton" "$env/pytriton/bin/python" -W ignore "$clients/pytriton_client.py" "$address"
python_client ovms "a sample of OpenVINO Model Server's KServe API: health, metadata, loops, bytes, strings" \
    "packages tritonclient[http] requests" ovms_sample.py "$address" "$work"
python_client requests "bodies, chunks, codings, every refusal" "packages requests" plain_requests.py "$address"
python_client aiohttp "many at once, compressed, streamed" "packages aiohttp" plain_aiohttp.py "$address"
client java "JDK HttpClient, with h2c offered and with HTTP/1.1: types both ways, futures, chunks, errors" \
    has_java java "$clients/java/Client.java" "$address"
client go "net/http: types both ways, goroutines, chunks, gzip, parameters, errors" \
    "has_go 1.20" go -C "$clients/go" run . "$address"
client rust "reqwest and truston: types both ways, tasks, codings, ndarray, errors" \
    build_rust "$CARGO_TARGET_DIR/debug/rest_client" "$address"
client fetch "Node's fetch: JSON, bytes, blobs, streams" has_node node "$clients/fetch.mjs" "$address"
client node_http "Node's http: types both ways, a kept connection, codings, parameters, errors" \
    has_node node "$clients/node_http.mjs" "$address"
client ab "ab -k: GET, JSON and bytes on kept connections, counted on both sides" \
    "program ab curl" bash "$clients/load_tools.sh" ab "$address" "$work"
client h2load "h2load --h1: the same, and pipelined" \
    "program h2load curl" bash "$clients/load_tools.sh" h2load "$address" "$work"
client httpie "fields, files, bytes, .npy, compressed, exit codes" \
    install_httpie bash "$clients/httpie.sh" "$address" "$work" "$env/python/bin/python"
client scrape "promtool finds no fault in flipd's metrics; Prometheus' parser reads both formats" \
    install_scrape bash "$clients/scrape.sh" "$address" "$work" "$env/python/bin/python"
python_client onnx_nodes "nodes of ONNX as its own tests have them" "packages onnx" onnx_nodes.py "$address" "$work"
python_client perf_analyzer "its load in JSON, bytes and shared memory" install_perf_analyzer perf_analyzer.py \
    "$perf/bin/perf_analyzer" "$address" "$work"
PATH=$env/python/bin:$PATH client docs "the snippets of the pages, also those of NumPy and tritonclient" \
    "$triton" bash "$tree/tests/docs/run.sh" "$program"
client schemathesis "the contract's routes, with valid and invalid requests" "packages schemathesis" \
    bash "$clients/fuzz_contract.sh" "$env/python/bin/schemathesis" "$address" "$work" "$examples" "$route"
generated redocly "redocly lint finds no error in the contract" node_packages
generated spectral "spectral lint with the rules of OpenAPI: the same" node_packages
generated openapi_python_client "generated, compiled; inferences in both forms, errors" generators
generated python "openapi-generator's: generated, compiled; an inference, errors" generators
generated typescript "openapi-generator's typescript-fetch: the same" typescript_generators
generated openapi_typescript "types for openapi-fetch: the same" typescript_generators
generated go_client "openapi-generator's for Go: the same" go_generators
generated java_client "openapi-generator's for Java's HttpClient: the same" java_generators
