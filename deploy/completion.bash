# Completion of flipd for bash.
# Written from the table of options by the target `manual`.

_flipd_words() { # WORDS BEGINNING
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_flipd_files() { # BEGINNING
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
    compopt -o filenames 2>/dev/null
}

_flipd() {
    local word=${COMP_WORDS[COMP_CWORD]}
    local option=${COMP_WORDS[COMP_CWORD - 1]}

    # The '=' of --name=value is a word of its own.
    if [ "$word" = = ]; then
        option+== word=
    elif [ "$option" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}=
    fi
    COMPREPLY=()
    case $option in
    --http-address | --http-address=) _flipd_words "localhost 127.0.0.1 0.0.0.0" "$word" ;;
    --http-port | --http-port=) ;;
    --admin-port | --admin-port=) ;;
    --grpc-port | --grpc-port=) ;;
    --admin-address | --admin-address=) _flipd_words "localhost 127.0.0.1 0.0.0.0" "$word" ;;
    --http-thread-count | --http-thread-count=) ;;
    --worker-count | --worker-count=) ;;
    --inline-limit | --inline-limit=) ;;
    --http-max-input-size | --http-max-input-size=) ;;
    --max-inflight-bytes | --max-inflight-bytes=) ;;
    --max-inflight-bytes-per-address | --max-inflight-bytes-per-address=) ;;
    --max-queue-size | --max-queue-size=) ;;
    --max-queue-delay | --max-queue-delay=) ;;
    --max-connections | --max-connections=) ;;
    --max-connections-per-address | --max-connections-per-address=) ;;
    --grpc-max-message | --grpc-max-message=) ;;
    --grpc-max-streams | --grpc-max-streams=) ;;
    --grpc-max-resets | --grpc-max-resets=) ;;
    --header-timeout | --header-timeout=) ;;
    --body-timeout | --body-timeout=) ;;
    --idle-timeout | --idle-timeout=) ;;
    --max-connection-age | --max-connection-age=) ;;
    --models | --models=) _flipd_files "$word" ;;
    --allow-client-shm=) _flipd_words "true false" "$word" ;;
    --shm-prefix | --shm-prefix=) ;;
    --http-response-compression | --http-response-compression=) _flipd_words "auto always never" "$word" ;;
    --tls-cert | --tls-cert=) _flipd_files "$word" ;;
    --tls-key | --tls-key=) _flipd_files "$word" ;;
    --tls-client-ca | --tls-client-ca=) _flipd_files "$word" ;;
    --http-restricted-api | --http-restricted-api=) ;;
    --allow-log-changes=) _flipd_words "true false" "$word" ;;
    --cors-allow-origin | --cors-allow-origin=) ;;
    --log-format | --log-format=) _flipd_words "text json" "$word" ;;
    --log-level | --log-level=) _flipd_words "error warning info debug" "$word" ;;
    --access-log=) _flipd_words "true false" "$word" ;;
    --server-timing=) _flipd_words "true false" "$word" ;;
    --drain-delay | --drain-delay=) ;;
    --exit-timeout-secs | --exit-timeout-secs=) ;;
    *) _flipd_words "-h --http-address --http-port --admin-port --grpc-port --admin-address --http-thread-count --worker-count --inline-limit --http-max-input-size --max-inflight-bytes --max-inflight-bytes-per-address --max-queue-size --max-queue-delay --max-connections --max-connections-per-address --grpc-max-message --grpc-max-streams --grpc-max-resets --header-timeout --body-timeout --idle-timeout --max-connection-age --models --allow-client-shm --shm-prefix --http-response-compression --tls-cert --tls-key --tls-client-ca --http-restricted-api --allow-log-changes --cors-allow-origin --log-format --log-level --access-log --server-timing --drain-delay --exit-timeout-secs --check --probe --version --help" "$word" ;;
    esac
}

complete -F _flipd flipd
