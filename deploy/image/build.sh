#!/bin/bash
# Builds the image as it is published: the same tree, base and packages give the same
# digest, and all labels are set. The engine has it as flipd (or --tag); the file is an
# OCI image layout, which `docker load` reads, and tools that push to a registry.
#
# Usage: deploy/image/build.sh [OPTION...]
#   --base IMAGE     Debian 12 or 13; default debian:trixie-slim
#   --bare           on an empty base instead
#   --cross arm64    with --bare: for arm64, on another machine
#   --expect FILE    end with an error where a package has another version than in this
#                    list: /usr/share/doc/flipd/packages of an image
#   --tag NAME       default flipd; with --bare flipd:bare, with --cross flipd:bare-arm64
#   --output FILE    default build/image/flipd-VERSION[-bare]-ARCHITECTURE.tar
#   --source URL     where the source is published, for the labels
#   --network NAME   the network of the build, as of `docker build`
#
# The time of everything new in the image is that of the commit. DOCKER_HOST chooses the
# engine; the packages come from the mirrors that the base names.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
base=debian:trixie-slim
kind=debian
cross=
expect=
tag=
output=
build=()
labels=()
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
    echo "build: $*" >&2
    exit 1
}

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    die "$1"
}

label() { # NAME VALUE, where there is one
    [ -z "$2" ] || labels+=(--label "org.opencontainers.image.$1=$2")
}

while [ $# -gt 0 ]; do
    case $1 in
    --bare) kind=bare && shift && continue ;;
    --*) [ $# -gt 1 ] || usage "$1 wants a value" ;;
    esac
    case $1 in
    --base) base=$2 ;;
    --cross) cross=$2 ;;
    --expect) expect=$(xargs <"$2") ;;
    --tag) tag=$2 ;;
    --output) output=$2 ;;
    --source) label source "$2" ;;
    --network) build+=(--network "$2") ;;
    *) usage "unknown option $1" ;;
    esac
    shift 2
done
[ -z "$cross" ] || [ $kind = bare ] || die "--cross wants --bare"

cd "$root"
version=$(sed -n 's/^project(flipd VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
revision=$(git rev-parse HEAD)
git diff --quiet HEAD || revision+=-dirty
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
architecture=${cross:-$(docker version --format '{{.Server.Arch}}')}
suffix=
[ $kind = debian ] || suffix=-bare
tag=${tag:-flipd${suffix/-/:}${cross:+-$cross}}
[[ ${tag##*/} = *:* ]] || tag+=:latest # without one, all tags of the name are saved
output=${output:-build/image/flipd-$version$suffix-$architecture.tar}
# An argument that is not given leaves the engine the steps of a plain `docker build`.
[ -z "$cross" ] || build+=(--build-arg CROSS="$cross")
build+=(--build-arg BASE="$base" --build-arg REVISION="$revision"
    --build-arg SOURCE_DATE_EPOCH="$epoch")
if [ $kind = bare ]; then
    stages=(bare-contents --target=bare) list=BARE_PACKAGES
else
    stages=(contents) list=PACKAGES
fi

# First what is to be in the image, whose packages then stand in its labels.
docker build "${build[@]}" --build-arg "$list=$expect" --target "${stages[0]}" \
    -t "flipd-contents:$kind" . >&2
container=$(docker create "flipd-contents:$kind" true) # an imported base has no command
docker cp "$container:/tree/usr/share/doc/flipd/packages" "$work/packages" >&2
docker rm "$container" >/dev/null

label version "$version"
label created "$(date -u -d "@$epoch" +%FT%TZ)"
if [ $kind = debian ]; then
    label base.name "$base"
    label base.digest "$(docker image inspect "$base" \
        --format '{{range .RepoDigests}}{{.}} {{end}}' | sed 's/.*@//; s/ .*//')"
fi
docker build "${build[@]}" --build-arg "$list=$(xargs <"$work/packages")" \
    "${labels[@]}" "${stages[@]:1}" -t "$tag" . >&2
docker save -o "$work/saved.tar" "$tag"
unsealed=$(docker image inspect "$tag" --format '{{.Id}}')

mkdir -p "$(dirname "$output")"
below=0
[ $kind = bare ] ||
    below=$(docker image inspect "$base" --format '{{len .RootFS.Layers}}')
digest=$(python3 deploy/image/seal.py "$work/saved.tar" "$below" "$epoch" \
    "$architecture" "$output")
docker load -q -i "$output" >&2
docker image rm --no-prune "$unsealed" >/dev/null 2>&1 || true # unless something uses it
echo "$tag $digest $output"
