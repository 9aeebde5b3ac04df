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
    MIB = 1 << 20,
};

/* The server's first frame, and the window of the connection. */
UNIT_TEST(a_client_is_told_the_limits)
{
    static const char settings[] = "\0\0\x18\4\0\0\0\0\0"
                                   "\0\3\0\0\0\x4D" /* streams */
                                   "\0\4\0\x11\0\0" /* window of a stream */
                                   "\0\5\0\x10\0\0" /* a frame */
                                   "\0\6\0\0\x40";  /* a header list */
    static const char window[] = "\0\0\4\10\0\0\0\0\0\3\377\0\1";
    const struct client *client = &grpc_case.client;

    grpc_case_options()->grpc_max_streams = 77;
    grpc_case_reopen(false);
    grpc_case_ask();
    ck_assert_mem_eq(client->got, settings, sizeof(settings));
    ck_assert_ptr_nonnull(
        memmem(client->got, client->len, window, sizeof(window) - 1));
}

/* A header block whose last bytes are in CONTINUATION frames. */
static const struct {
    size_t len;
    int continuations; /* of a byte each */
    bool is_grpc;
    int goaway, code;
} blocks[] = {
    {SESSION_HEADERS, 0, true, -1, API_GRPC_RESOURCE_EXHAUSTED},
    {SESSION_HEADERS + 1, 0, true, CASE_FRAME_SIZE, -1},
    {SESSION_HEADERS + 1, 1, true, CASE_FRAME_SIZE, -1},
    {SESSION_HEADERS, 8, true, -1, API_GRPC_RESOURCE_EXHAUSTED},
    {SESSION_HEADERS, 9, true, CASE_CALM, -1},
    {METADATA_MAX, 0, false, -1, API_GRPC_RESOURCE_EXHAUSTED},
    {METADATA_MAX + 1, 0, false, CASE_FRAME_SIZE, -1},
};

LOOP_TEST(headers_have_limits, COUNT(blocks))
{
    /* POST, http, /, f, content-type, and the name and length of a field */
    static char block[SESSION_HEADERS + 1] =
        "\x83\x86\x84\x41\1f\17\20\20application/grpc\0\1a\x7F";
    size_t at = 29, len = blocks[_i].len, rest = len - at - 3 - 127;
    size_t first = len - (size_t)blocks[_i].continuations;

    if (!blocks[_i].is_grpc)
        block[9] = 'A' + 1;
    block[at++] = (char)(rest % 128 | 128);
    block[at++] = (char)(rest / 128 % 128 | 128);
    block[at++] = (char)(rest / 128 / 128);
    memset(block + at, 'v', len - at);
    grpc_case_frame(FRAMES_HEADERS, first == len ? FRAMES_END_HEADERS : 0, A,
                    block, first);
    for (; first < len; first++)
        grpc_case_frame(FRAMES_CONTINUATION,
                        first + 1 == len ? FRAMES_END_HEADERS : 0, A,
                        block + first, 1);
    grpc_case_ask();
    ck_assert_int_eq(grpc_case_goaway(), blocks[_i].goaway);
    ck_assert_int_eq(grpc_case_code(A), blocks[_i].code);
}

/* One byte repeats a field of 4000. */
static const struct {
    int fields;
    int link;
} bombs[] = {
    {10, SESSION_SERVES}, {BOMB - 1, SESSION_SERVES}, {BOMB, CASE_NONE}};

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
        grpc_case_ask();
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
    grpc_case_answer();
    ck_assert_uint_eq(saved() - before, 1000 * earning[_i].frames);
}

/* Sends `len` bytes of a message. */
static void send_data(size_t len)
{
    static unsigned char data[FRAMES_SIZE];
    size_t part;

    for (int i = 1; len > 0; i++, len -= part) {
        part = len < FRAMES_SIZE ? len : FRAMES_SIZE;
        grpc_case_frame(FRAMES_DATA, 0, A, data, part);
        if (i % 32 == 0 || part == len)
            grpc_case_ask();
    }
}

/* The window of a stream is as wide as its message, within a limit; that of the
 * connection opens again. */
UNIT_TEST(a_window_has_a_limit)
{
    nghttp2_session *h2 = grpc_case_session()->h2;

    grpc_case.world->service.jobs.budget.limit = (size_t)1 << 30;
    grpc_case_options()->http_max_input_size = 64 * MIB;
    grpc_case_headers(A, CASE_INFER, 0);
    grpc_case_frame(FRAMES_DATA, 0, A, "\0\3\0\0\0", 5); /* of 48 MiB */
    send_data(34 * MIB);
    ck_assert_int_eq(
        nghttp2_session_get_stream_effective_local_window_size(h2, A),
        SESSION_WINDOW_MOST);
    ck_assert_int_ge(nghttp2_session_get_local_window_size(h2),
                     SESSION_WINDOW_ALL / 2);
}

/* A message that the window has space for, with the padding of its frames; one
 * without that for the padding; and one that others may follow. */
static const struct {
    const char *path, *prefix;
    size_t sent;
    bool opens;
} windows[] = {
    {CASE_INFER, "\0\0\x10\0\0", MIB - 1, false},
    {CASE_INFER, "\0\0\x10\xF0\0", 700 << 10, true},
    {CASE_STREAM, "\0\0\x10\0\0", 700 << 10, true},
};

LOOP_TEST(a_window_opens_where_it_must, COUNT(windows))
{
    int before;

    grpc_case_options()->http_max_input_size = 64 * MIB;
    grpc_case_headers(A, windows[_i].path, 0);
    grpc_case_frame(FRAMES_DATA, 0, A, windows[_i].prefix, FRAMES_PREFIX);
    grpc_case_ask();
    before = grpc_case_count(FRAMES_WINDOW_UPDATE);
    send_data(windows[_i].sent);
    ck_assert((grpc_case_count(FRAMES_WINDOW_UPDATE) > before) ==
              windows[_i].opens);
}

/* What has waited behind the messages before was taken. */
UNIT_TEST(messages_that_wait_open_the_window)
{
    enum { MESSAGES = 40, ELEMENTS = 15 << 10 };
    nghttp2_session *h2 = grpc_case_session()->h2;

    grpc_case_headers(A, CASE_STREAM, 0);
    for (int i = 0; i < MESSAGES; i++)
        grpc_case_message(A, ELEMENTS, false);
    for (int i = 0; i < MESSAGES; i++)
        grpc_case_answer();
    ck_assert_int_eq(grpc_case_messages(A), MESSAGES);
    ck_assert_int_ge(nghttp2_session_get_stream_local_window_size(h2, A),
                     SESSION_WINDOW / 2);
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
        grpc_case_answer();
        grpc_case_expect_tensor(stream, CASE_LARGE);
        wait_for_judgement();
        ck_assert(is_wide());
    }
    wait_for_judgement();
    ck_assert(!is_wide());
}

FIXTURE(grpc_case_start, grpc_case_end)
