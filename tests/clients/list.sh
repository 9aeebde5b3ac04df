# Sourced by run.sh: the clients, what each shows, how it is installed and run.
# shellcheck disable=SC2154 # run.sh and install.sh set these

triton="packages tritonclient[http] ml_dtypes"
python_client triton "every type, option, admin call and shared memory" "$triton" triton.py http "$address"
python_client triton_aio "the same in asyncio" "$triton" triton.py http_aio "$address"
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
    build_rust "$env/rust/target/debug/rest_client" "$address"
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
PATH=$env/python/bin:$PATH client docs "the snippets of the pages, also those of NumPy, requests and tritonclient" \
    "$triton requests" bash "$tree/tests/docs/run.sh" "$program"
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

# The same inferences over gRPC.
triton_grpc="packages tritonclient[http] tritonclient[grpc] ml_dtypes"
python_client triton_grpc "every type, option, admin call, stream and shared memory" "$triton_grpc" \
    triton.py grpc "$grpc"
python_client triton_grpc_aio "the same in asyncio" "$triton_grpc" triton.py grpc_aio "$grpc"
python_client kserve_grpc "health, types in both forms, parameters, errors" "packages kserve" kserve_grpc.py "$grpc"
python_client grpcio "reflection, health, typed contents, statuses, deadlines, metadata, 1,000 at once" \
    "packages tritonclient[grpc] grpcio-reflection" grpcio_calls.py "$grpc"
python_client perf_analyzer_grpc "its load in unary calls, streams, gzip and shared memory" install_perf_analyzer \
    perf_analyzer.py "$perf/bin/perf_analyzer" "$address" "$work" "$grpc"
client go_grpc "grpc-go with generated stubs: types, streams, gzip, statuses, deadlines, 1,000 at once" \
    build_go_grpc "$env/go/grpc/client" "$grpc"
client node_grpc "grpc-js with the .proto files: the same" node_packages \
    node "$clients/node_grpc.mjs" "$env/node" "$protos/grpc_service.proto" "$grpc"
client java_grpc "grpc-java with generated stubs: the same" build_java_grpc \
    java -cp "$env/java_grpc/client-1.jar:$env/java_grpc/dependency/*" Client "$grpc"
grpc_tool() { # NAME SHOWS INSTALL
    client "$1" "$2" "$3" bash "$clients/grpc_tools.sh" "$1" "$address" "$grpc" "$work" "$programs"
}
grpc_tool grpcurl "by reflection: list, describe, calls, a stream, errors" install_grpcurl
grpc_tool ghz "a load of calls and streams, each OK, counted on both sides" install_ghz
grpc_tool http2 "h2load, nghttp and curl send recorded messages" "program h2load nghttp curl"
grpc_tool h2spec "no fault in HTTP/2 and HPACK" install_h2spec
