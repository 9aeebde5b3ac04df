# Sourced by engine.sh: the images of compose.yaml. No registry of images is asked.
# HAProxy and Prometheus are Debian 13's, under the names, users and entries of the
# registry's images.

# Of this tree, from the engine that can build images.
flipd_tar() {
    engine_to_build && engine_base &&
        deploy/image/build.sh --network host --output "$CACHE/flipd.tar"
    local code=$?

    engine_stop
    return $code
}

# Debian 13's package NAME in a tar, made once.
package_tar() { # NAME
    local folder=$work/package tar=$CACHE/image-$1.tar

    [ ! -e "$tar" ] || return 0
    debian_root trixie "$folder" && debian_install "$folder" "$1" || return
    rm -rf "$folder"/var/{cache/apt,lib/apt/lists}/* "$folder"/usr/share/{doc,man,locale}
    install -d -o 65534 "$folder/prometheus" # the volume's
    tar -C "$folder" -cf "$tar.part" . && mv "$tar.part" "$tar" && rm -rf "$folder"
}

image_of() { # NAME TAR CHANGE...
    local name=$1 tar=$2 change options=()

    shift 2
    for change; do
        options+=(--change "$change")
    done
    docker import "${options[@]}" "$tar" "$name"
}

haproxy_image() {
    package_tar haproxy && image_of haproxy:3.2 "$CACHE/image-haproxy.tar" \
        'USER haproxy' 'STOPSIGNAL SIGUSR1' \
        'ENTRYPOINT ["haproxy","-W","-db","-f","/usr/local/etc/haproxy/haproxy.cfg"]'
}

prometheus_image() {
    package_tar prometheus &&
        image_of prom/prometheus:v3.5.0 "$CACHE/image-prometheus.tar" \
            'USER nobody' 'VOLUME /prometheus' 'ENTRYPOINT ["/bin/prometheus"]'
}

# Another image than `flipd`, as that of another version is.
next_image() {
    local container

    container=$(docker create flipd) &&
        docker commit -c 'LABEL version=NEW' "$container" flipd:NEW &&
        docker rm "$container"
}

images() {
    docker load -i "$CACHE/flipd.tar" && haproxy_image && prometheus_image &&
        next_image
}

versions() {
    echo "HAProxy $(docker run --rm haproxy:3.2 -v | awk 'NR == 1 { print $3 }')," \
        "$(docker run --rm prom/prometheus:v3.5.0 --version 2>&1 | awk 'NR == 1 { print "Prometheus " $3 }')," \
        "Compose $(docker compose version --short)," \
        "engine $(docker version --format '{{.Server.Version}}')"
}
