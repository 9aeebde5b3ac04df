# The image, for any Docker Engine from Debian 12's on:
#
#     docker build -t flipd .
#
# deploy/image/build.sh makes from this file what is published: the same content gives
# the same digest there, and all labels are set.
#
# BASE is Debian 12 or 13, in any form. The target `bare` has no base: the daemon, the
# libraries it loads, licences, and nothing that could be run besides. With CROSS=arm64
# it is built for arm64 on another machine.
#
# The health check asks every 0.8 s, so that any engine calls the container healthy
# within a second; each costs the engine some 50 ms of processor time. Only the published
# image can ask often while it starts and every 10 s then: engines before 25 refuse a
# Dockerfile that says so.
#
# PACKAGES (for `bare`: BARE_PACKAGES) is the list of all packages in the image and of
# those that shaped the daemon: /usr/share/doc/flipd/packages of an image, in one line.
# Where it is given, a build with any other version ends with an error.
ARG BASE=debian:trixie-slim

FROM ${BASE} AS build
ARG CROSS
WORKDIR /src
COPY deploy/install-deps.sh deploy/
RUN if [ -n "$CROSS" ]; then deploy/install-deps.sh --cross "$CROSS"; \
    else deploy/install-deps.sh --build-only; fi
COPY . .
ARG REVISION=unknown
RUN preset=${CROSS:-release} \
    && cmake --preset "$preset" -DTESTS=OFF -DSERVICE=OFF \
        -DCMAKE_INSTALL_PREFIX=/usr -DFLIPD_REVISION="$REVISION" \
    && cmake --build --preset "$preset" \
    && DESTDIR=/image cmake --install "build/$preset" --strip

FROM build AS bare-contents
ARG BARE_PACKAGES
ARG SOURCE_DATE_EPOCH=0
RUN python3 deploy/image/contents.py bare /image \
    "$BARE_PACKAGES" "$REVISION" "$SOURCE_DATE_EPOCH"

FROM scratch AS bare
COPY --from=bare-contents /tree /
ARG REVISION=unknown
ARG BARE_PACKAGES
LABEL org.opencontainers.image.title="flipd" \
    org.opencontainers.image.description="Reverses tensors over HTTP, bit for bit" \
    org.opencontainers.image.revision="$REVISION" \
    org.opencontainers.image.licenses="Apache-2.0" \
    flipd.packages="$BARE_PACKAGES"
USER 65532:65532
ENV FLIPD_HTTP_ADDRESS=0.0.0.0 FLIPD_EXIT_TIMEOUT_SECS=8
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=800ms --timeout=2s CMD ["/usr/bin/flipd", "--probe"]
ENTRYPOINT ["/usr/bin/flipd"]

# Without what the installation leaves behind that differs from one to the next.
FROM ${BASE} AS runtime
ARG CROSS
COPY deploy/install-deps.sh /tmp/
RUN if [ -n "$CROSS" ]; then echo "CROSS wants --target bare" >&2; exit 1; fi \
    && /tmp/install-deps.sh --run-only \
    && rm -rf /tmp/install-deps.sh /var/lib/apt/lists/* /var/lib/dpkg/*-old \
        /var/cache/apt/*.bin /var/cache/debconf/*-old /var/cache/ldconfig/aux-cache \
        /var/log/*

FROM build AS contents
COPY --from=runtime /var/lib/dpkg /runtime/var/lib/dpkg
ARG PACKAGES
ARG SOURCE_DATE_EPOCH=0
RUN python3 deploy/image/contents.py debian /image \
    "$PACKAGES" "$REVISION" "$SOURCE_DATE_EPOCH"

FROM runtime
COPY --from=contents /tree /
ARG REVISION=unknown
ARG PACKAGES
LABEL org.opencontainers.image.title="flipd" \
    org.opencontainers.image.description="Reverses tensors over HTTP, bit for bit" \
    org.opencontainers.image.revision="$REVISION" \
    org.opencontainers.image.licenses="Apache-2.0" \
    flipd.packages="$PACKAGES"
USER 65532:65532
# `docker stop` waits 10 s before it kills: running requests get 8 of them.
ENV FLIPD_HTTP_ADDRESS=0.0.0.0 FLIPD_EXIT_TIMEOUT_SECS=8
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=800ms --timeout=2s CMD ["/usr/bin/flipd", "--probe"]
ENTRYPOINT ["/usr/bin/flipd"]
