#include "tests/server/grpc/call_state.h"

const struct call_state_row call_states[CALL_STATES] = {
    [OPENED] = {CASE_INFER, CALL_OPEN, -1, 0},
    [HEADERS] = {CASE_INFER, CALL_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [PREFIX] = {CASE_INFER, CALL_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [PART] = {CASE_INFER, CALL_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [WHOLE] = {CASE_INFER, CALL_RECEIVING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [QUEUED] = {CASE_INFER, CALL_RUNNING, API_GRPC_DEADLINE_EXCEEDED, 1},
    [WORKED] = {CASE_INFER, CALL_RUNNING, API_GRPC_OK, 1},
    [REPLYING] = {CASE_INFER, CALL_LAST, API_GRPC_OK, 1},
    [STREAM_PART] = {CASE_STREAM, CALL_RECEIVING, API_GRPC_DEADLINE_EXCEEDED,
                     0},
    [STREAM_IDLE] = {CASE_STREAM, CALL_RECEIVING, API_GRPC_DEADLINE_EXCEEDED,
                     1},
    [STREAM_QUEUED] = {CASE_STREAM, CALL_RUNNING, API_GRPC_OK, 1},
    [STREAM_BACKLOG] = {CASE_STREAM, CALL_RUNNING, API_GRPC_OK, 1},
    [STREAM_REPLYING] = {CASE_STREAM, CALL_SENDING, API_GRPC_DEADLINE_EXCEEDED,
                         1},
    [WATCHES] = {CASE_WATCH, CALL_WATCHING, API_GRPC_DEADLINE_EXCEEDED, 1},
};

void call_state_watch(uint32_t stream)
{
    grpc_case_frame(FRAMES_DATA, 0, stream, "\0\0\0\0", 5);
}

static void queue(enum call_state state, uint32_t stream)
{
    bool stream_kind = state >= STREAM_IDLE;
    size_t count =
        state == REPLYING || state == STREAM_REPLYING ? CASE_LARGE : CASE_SMALL;

    grpc_case_message(stream, count, !stream_kind);
    for (int i = 0; state == STREAM_BACKLOG && i < 3; i++)
        grpc_case_message(stream, CASE_SMALL, false);
}

/* Streams that are opened later may send 16 KiB. */
static void narrow_windows(void)
{
    grpc_case_frame(FRAMES_SETTINGS, 0, 0, "\0\4\0\0\x40\0", 6);
}

void call_state_widen(uint32_t stream)
{
    grpc_case_frame(FRAMES_WINDOW_UPDATE, 0, stream, "\0\x10\0\0", 4);
    grpc_case_ask();
}

void call_state_bring(enum call_state state, uint32_t stream, unsigned fields)
{
    if (state == REPLYING || state == STREAM_REPLYING)
        narrow_windows();
    if (state == OPENED)
        grpc_case_half_headers(stream, fields);
    else
        grpc_case_headers(stream, call_states[state].path, fields);
    if (state == PREFIX)
        grpc_case_part(stream, CASE_SMALL, 0, 3);
    else if (state == PART || state == STREAM_PART)
        grpc_case_part(stream, CASE_SMALL, 0, 20);
    else if (state == WHOLE)
        grpc_case_message(stream, CASE_SMALL, false);
    else if (state == WATCHES)
        call_state_watch(stream);
    else if (state != OPENED && state != HEADERS)
        queue(state, stream);
    grpc_case_send();
    if (state == WORKED || state == REPLYING || state >= STREAM_IDLE)
        if (state != STREAM_QUEUED && state != STREAM_BACKLOG)
            grpc_case_work();
    if (state == STREAM_IDLE)
        grpc_case_receive();
    else if (state != WORKED)
        grpc_case_send();
    call_state_expect(stream, call_states[state].stage);
}

/* What the client has left out. */
static void add_rest(enum call_state state, uint32_t stream)
{
    switch (state) {
    case OPENED:
        grpc_case_rest_of_headers();
        grpc_case_message(stream, CASE_SMALL, true);
        break;
    case HEADERS:
        grpc_case_message(stream, CASE_SMALL, true);
        break;
    case PREFIX:
    case PART:
    case STREAM_PART:
        grpc_case_part(stream, CASE_SMALL, state == PREFIX ? 3 : 20, SIZE_MAX);
        grpc_case_half_close(stream);
        break;
    case QUEUED:
    case WORKED:
    case REPLYING:
        break;
    default:
        grpc_case_half_close(stream);
        break;
    }
}

void call_state_finish(enum call_state state, uint32_t stream)
{
    add_rest(state, stream);
    grpc_case_send();
    for (int i = 0; i < 4; i++) {
        grpc_case_answer();
    }
    if (state == REPLYING || state == STREAM_REPLYING)
        call_state_widen(stream);
}

void call_state_expect(uint32_t stream, int stage)
{
    ck_assert_int_eq(grpc_case_stage(stream), stage);
}
