# Built and run with Debian 13: docker build -t flipd .
# The metrics name the commit: --build-arg REVISION=$(git rev-parse HEAD)
ARG BASE=debian:trixie-slim

FROM ${BASE} AS build
WORKDIR /src
COPY deploy/install-deps.sh deploy/
RUN deploy/install-deps.sh --build-only
COPY . .
ARG REVISION
RUN cmake --preset release -DTESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
        -DFLIPD_REVISION="$REVISION" \
    && cmake --build --preset release \
    && DESTDIR=/image cmake --install build/release --strip

FROM ${BASE}
COPY deploy/install-deps.sh /tmp/
RUN /tmp/install-deps.sh --run-only \
    && rm -rf /tmp/install-deps.sh /var/lib/apt/lists/* /var/cache/apt/*.bin \
        /var/log/apt /var/log/dpkg.log
COPY --from=build /image /
USER 65532:65532
ENV FLIPD_HTTP_ADDRESS=0.0.0.0
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=2s CMD ["/usr/bin/flipd", "--probe"]
ENTRYPOINT ["/usr/bin/flipd"]
