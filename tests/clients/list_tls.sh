# Sourced by run.sh: the clients that also speak TLS here.
# shellcheck disable=SC2154 # run.sh and list.sh set these

ca=$work/cert.pem
python_client triton "the same as without" "$triton" triton.py http "$address" "$ca"
python_client triton_aio "the same as without" "$triton" triton.py http_aio "$address" "$ca"
python_client requests "the same as without" "packages requests" plain_requests.py "$address" "$ca"
NODE_EXTRA_CA_CERTS=$ca client fetch "the same as without" has_node node "$clients/fetch.mjs" "$address" https
SSL_CERT_FILE=$ca client go "the same as without, HTTP/2 not agreed upon" "has_go 1.20" \
    go -C "$clients/go" run . "$address" https
SSL_CERT_FILE=$ca client rust "the same as without" build_rust "$env/rust/target/debug/rest_client" \
    "$address" https
trust_store() {
    has_java && quietly keytool -importcert -noprompt -alias flipd -file "$ca" \
        -storetype PKCS12 -keystore "$work/trust.p12" -storepass changeit
}
client java "the same as without, HTTP/2 not agreed upon" trust_store \
    java -Djavax.net.ssl.trustStore="$work/trust.p12" \
    -Djavax.net.ssl.trustStorePassword=changeit "$clients/java/Client.java" "$address" https
python_client triton_grpc "the same as without" "$triton_grpc" triton.py grpc "$grpc" "$ca"
python_client triton_grpc_aio "the same as without" "$triton_grpc" triton.py grpc_aio "$grpc" "$ca"
client go_grpc "the same as without" build_go_grpc "$env/go/grpc/client" "$grpc" "$ca"
client java_grpc "the same as without" build_java_grpc \
    java -cp "$env/java_grpc/client-1.jar:$env/java_grpc/dependency/*" Client "$grpc" "$ca"
client node_grpc "the same as without" node_packages \
    node "$clients/node_grpc.mjs" "$env/node" "$protos/grpc_service.proto" "$grpc" "$ca"
client grpcurl "the same as without" install_grpcurl bash "$clients/grpc_tools.sh" grpcurl "$address" "$grpc" \
    "$work" "$programs" "$ca"
