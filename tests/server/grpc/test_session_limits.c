/* What a connection may send, and what its requests earn and keep. */
#include <nghttp2/nghttp2.h>
#include <string.h>

#include "server/http2/flood.h"
#include "tests/server/grpc/grpc_case.h"
#include "tests/unit.h"

enum {
    A = 1,        /* a stream */
    FIELD = 4000, /* bytes of a field that HPACK remembers */
    BOMB = 65,    /* such fields, which are more than 16 header lists */
    BLOCK = 5000,
    PINGS = 500,
    SENT_FRAME = 16 << 10,
    EARNING = 64 << 10, /* bytes of data that come */
};

/* One byte repeats a field of 4000. */
static const struct {
    int fields;
    enum case_link link;
} bombs[] = {{10, LINK_SERVES}, {BOMB - 1, LINK_SERVES}, {BOMB, LINK_NONE}};

LOOP_TEST(headers_that_unpack_to_much_end_a_connection, COUNT(bombs))
{
    static unsigned char block[BLOCK] = {0x40, 1, 'a', 127};
    size_t len = 4;

    block[len++] = (FIELD - 127) % 128 | 128; /* the rest of the length */
    block[len++] = (FIELD - 127) / 128;
    memset(block + len, 'v', FIELD);
    len += FIELD;
    for (int i = 1; i < bombs[_i].fields; i++)
        block[len++] = 0x80 | 62; /* the last field */
    grpc_case_frame(FRAMES_HEADERS, FRAMES_END_HEADERS | FRAMES_END_STREAM, A,
                    block, len);
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), bombs[_i].link);
}

/* Frames that the client may send, in thousandths, once it has sent some. */
static uint64_t saved(void)
{
    return grpc_case_session()->flood.frames;
}

static void send_pings(void)
{
    for (int i = 0; i < PINGS; i++) {
        grpc_case_frame(FRAMES_PING, 0, 0, "12345678", 8);
        grpc_case_send();
        grpc_case_receive();
    }
}

/* An answer, the refusal of a body that is on its way, each 64 KiB of data
 * that came, and each frame of those that are sent. */
static const struct {
    const char *path;
    size_t count; /* elements; 0: headers alone */
    bool ends;
    uint64_t frames;
} earning[] = {
    {CASE_INFER, CASE_SMALL, true, 2 * FLOOD_EARNED},
    {CASE_STREAM, CASE_SMALL, false, FLOOD_EARNED},
    {"/nothing", 0, false, FLOOD_REFUSED},
    {CASE_INFER, CASE_LARGE, true,
     (1 + CASE_LARGE / EARNING + CASE_LARGE / SENT_FRAME + 1) * FLOOD_EARNED},
};

LOOP_TEST(requests_earn_frames, COUNT(earning))
{
    uint64_t before;

    send_pings();
    before = saved();
    grpc_case_headers(A, earning[_i].path, 0);
    if (earning[_i].count > 0)
        grpc_case_message(A, earning[_i].count, earning[_i].ends);
    grpc_case_send();
    grpc_case_work();
    grpc_case_receive();
    ck_assert_uint_eq(saved() - before, 1000 * earning[_i].frames);
}

/* The window of a stream is as wide as its message, within a limit. */
UNIT_TEST(a_window_has_a_limit)
{
    static unsigned char data[FRAMES_SIZE];
    nghttp2_session *h2 = grpc_case_session()->h2;
    int32_t window = 0;

    grpc_case.world->service.jobs.budget.limit = (size_t)1 << 30;
    grpc_case_options()->http_max_input_size = 64 << 20;
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_frame(FRAMES_DATA, 0, A, "\0\3\0\0\0", 5); /* of 48 MiB */
    for (int sent = 0; sent < 17 << 20; sent += 32 * FRAMES_SIZE) {
        for (int i = 0; i < 32; i++)
            grpc_case_frame(FRAMES_DATA, 0, A, data, sizeof(data));
        grpc_case_send();
        grpc_case_receive();
        window = nghttp2_session_get_stream_effective_local_window_size(h2, A);
    }
    ck_assert_int_eq(window, SESSION_WINDOW_MOST);
}

/* Until clients are judged, once a second. */
static void wait_for_judgement(void)
{
    const struct connection_list *list = &grpc_case.world->loop.connections;
    uint64_t before = list->judged_ms;

    while (list->judged_ms == before)
        grpc_case_wait(100);
}

static bool is_wide(void)
{
    return grpc_case_session()->transport.buffers.receive !=
           SOCKET_BUFFERS_NARROW;
}

/* The buffers of a client that sends one large message after the other stay
 * wide between them. */
UNIT_TEST(buffers_stay_wide_for_a_second)
{
    wait_for_judgement();
    ck_assert(!is_wide());
    for (uint32_t stream = A; stream <= A + 4; stream += 2) {
        grpc_case_headers(stream, CASE_INFER, 0);
        grpc_case_message(stream, CASE_LARGE, true);
        grpc_case_send();
        grpc_case_work();
        grpc_case_receive();
        wait_for_judgement();
        ck_assert(is_wide());
    }
    wait_for_judgement();
    ck_assert(!is_wide());
}

FIXTURE(grpc_case_start, grpc_case_end)
