#compdef flipd
# Completion of flipd for zsh.
# Written from the table of options by the target `manual`.

_arguments \
    '--http-address=[IPv4 or IPv6 address to listen on, localhost (127.0.0.1), or unix:PATH; 0.0.0.0 in the image]:ADDRESS:(localhost 127.0.0.1 0.0.0.0)' \
    '--http-port=[port to listen on; 0 picks a free one and logs it]:0..65535: ' \
    '--admin-port=[second port for health and metrics only; 0 = none]:0..65535: ' \
    '--grpc-port=[port for gRPC, at http-address, usually 8001; 0 picks a free one and logs it; -1 = none]:-1..65535: ' \
    '--admin-address=[IPv4 or IPv6 address of the admin port, or localhost]:ADDRESS:(localhost 127.0.0.1 0.0.0.0)' \
    '--http-thread-count=[event loops]:1..256: ' \
    '--worker-count=[threads that execute large requests]:1..1024: ' \
    '--inline-limit=[largest body that an event loop handles without a worker]:0..1GiB: ' \
    '--http-max-input-size=[largest request body; past it 413]:1..1TiB: ' \
    '--max-inflight-bytes=[bodies and answers held at once, beside 64 KiB of each connection; past it 503]:1MiB..1PiB: ' \
    '--max-inflight-bytes-per-address=[of them, held by one client address; past it 503; 0 = no limit]:0..1PiB: ' \
    '--max-queue-size=[requests waiting for a worker; past it 503]:1..1048576: ' \
    '--max-queue-delay=[time that a request may wait for a worker, or as long as it runs; past it 503; 0 = no limit]:0..1h: ' \
    '--max-connections=[connections open at once; more wait to be accepted]:1..1048576: ' \
    '--max-connections-per-address=[connections from one client address; more are closed; 0 = no limit]:0..1048576: ' \
    '--grpc-max-message=[largest gRPC message; past it RESOURCE_EXHAUSTED; 0 = http-max-input-size]:0..4GiB: ' \
    '--grpc-max-streams=[calls of one gRPC connection at once; more wait]:1..1048576: ' \
    '--grpc-max-resets=[calls that a gRPC connection may cancel in a second; past it it is closed]:1..1048576: ' \
    '--header-timeout=[from a request'\''s first byte to the end of its headers]:1s..24h: ' \
    '--body-timeout=[a body or an answer that moves less than 1 KiB/s, averaged over this time, is cut]:1s..24h: ' \
    '--idle-timeout=[a connection without a request is closed after this time]:1s..24h: ' \
    '--max-connection-age=[a connection ends with its next reply after this time, so that clients spread anew; a tenth more or less; 0 = no limit]:0..24h: ' \
    '--models=[file of configured models; read again at SIGHUP]:FILE:_files' \
    '--allow-client-shm=-[clients may register shared memory that holds tensors]::true or false:(true false)' \
    '--shm-prefix=[keys of shared memory objects must start with this]:PREFIX: ' \
    '--http-response-compression=[auto: for clients that name exactly one coding; always: for all that accept one]:auto or always or never:(auto always never)' \
    '--tls-cert=[PEM file: the server'\''s certificate, then those of its issuers; only https is served]:FILE:_files' \
    '--tls-key=[PEM file: the certificate'\''s private key]:FILE:_files' \
    '--tls-client-ca=[PEM file: the authorities, one of which must have signed each client'\''s certificate]:FILE:_files' \
    '*--http-restricted-api=[API,API:HEADER=VALUE or API,API:HEADER=@FILE: these APIs (health, metadata, inference, shared-memory, model-config, model-repository, statistics, logging, metrics) require that header; a secret has at most 4096 bytes; may be given more than once]:RULE: ' \
    '--allow-log-changes=-[whoever reaches the port may change the log'\''s settings with POST /v2/logging, even where no restricted API asks for a header]::true or false:(true false)' \
    '--cors-allow-origin=[origins whose pages may send requests and read the answers, separated by commas, or *]:ORIGINS: ' \
    '--log-format=[one line for each event, on standard error]:text or json:(text json)' \
    '--log-level=[lowest level of events that are logged; of each kind of line 20 a second, the others are counted]:error or warning or info or debug:(error warning info debug)' \
    '--access-log=-[log every request, as fast as the log is read]::true or false:(true false)' \
    '--server-timing=-[replies to inferences say in the header Server-Timing how long they waited, were read, moved and written]::true or false:(true false)' \
    '--drain-delay=[after SIGTERM: keep serving, but report not ready]:0..1h: ' \
    '--exit-timeout-secs=[then: time for running requests to end; past it exit code 1]:0..1h: ' \
    '(- *)--check[read the options and every file that they name, plan the memory, and exit: code 0, or the error and the code of a start; nothing is started, no port is opened]' \
    '(- *)--probe[check that the daemon at http-address and http-port, or at admin-port, is ready; exit code 0 or 1]' \
    '(- *)--version[print the version]' \
    '(- *)--help[print all options; -h is the same]' \
    '(- *)-h[the same as --help]'
