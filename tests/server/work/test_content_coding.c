
#include "server/work/content_coding.h"
#include "tests/edge.h"
#include "tests/heap_watch.h"
#include "tests/unit.h"

enum { MOST = 300000, ROOM = MOST + MOST / 8 };

static const atomic_bool never, always = true;
static unsigned char text[MOST], coded[ROOM], again[MOST + 1];

/* Bytes that cannot be compressed. */
static void set_up(void)
{
    uint32_t state = 1;

    for (size_t i = 0; i < MOST; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = (unsigned char)(state >> 24);
    }
}

enum { UNKNOWN = -1 };
static const struct {
    const char *text;
    int coding;
} names[] = {{NULL, CODING_IDENTITY},
             {"gzip", CODING_GZIP},
             {"GZip", CODING_GZIP},
             {"x-gzip", CODING_GZIP},
             {"deflate", CODING_DEFLATE},
             {"gzip \t", CODING_GZIP},
             {"identity", CODING_IDENTITY},
             {"deflate ,gzip", UNKNOWN},
             {"gzip\t, ", UNKNOWN},
             {"gzip,gzip", UNKNOWN},
             {"gzi", UNKNOWN},
             {"", UNKNOWN}};

LOOP_TEST(coding_has_a_name, COUNT(names))
{
    enum content_coding coding = CODING_DEFLATE;
    bool known = content_coding_parse(names[_i].text, &coding);

    ck_assert_int_eq(known ? (int)coding : UNKNOWN, names[_i].coding);
    ck_assert_str_eq(content_coding_name(CODING_GZIP), "gzip");
    ck_assert_str_eq(content_coding_name(CODING_DEFLATE), "deflate");
    ck_assert_ptr_null(content_coding_name(CODING_IDENTITY));
}

static const struct {
    const char *accept;
    int automatic, always; /* 1: CODING_GZIP */
} replies[] = {{NULL, 0, 0},
               {"", 0, 0},
               {"gzip", 1, 1},
               {"X-GZIP;q=0.1, identity", 1, 1},
               {"br;q=0, gzip, *;q=0", 1, 1},
               {"gzip, br", 0, 1},
               {"*", 0, 1},
               {"br, deflate, gzip", 0, 1},
               {"gzip;q=0, *", 0, 0},
               {"x-gzip;q=0", 0, 0},
               {"deflate", 0, 0},
               {"identity", 0, 0}};

LOOP_TEST(coding_of_a_reply_is_as_the_policy_says, COUNT(replies))
{
    const char *accept = replies[_i].accept;

    ck_assert_int_eq(content_coding_choose(accept, CODING_AUTO),
                     replies[_i].automatic);
    ck_assert_int_eq(content_coding_choose(accept, CODING_ALWAYS),
                     replies[_i].always);
    ck_assert_int_eq(content_coding_choose(accept, CODING_NEVER), 0);
}

/* Inflates into `again`, from the end of a page. *len is how many bytes that
 * are. */
static enum inflate_result inflate_all(enum content_coding coding,
                                       const void *body, size_t body_len,
                                       size_t *len, char why[120])
{
    unsigned char *at_end = edge_copy(body, body_len);
    struct inflater *inflater = inflater_new(coding, at_end, body_len);
    enum inflate_result result;
    size_t now;

    ck_assert_uint_eq(inflater_read(inflater), 0);
    *len = 0;
    do {
        result = inflater_next(inflater, again + *len, sizeof(again) - *len,
                               &now, why);
        ck_assert_uint_le(now, 128 << 10);
        *len += now;
    } while (result == INFLATE_MORE);
    if (result == INFLATE_WHOLE)
        ck_assert_uint_eq(inflater_read(inflater), body_len);
    inflater_free(inflater);
    edge_free(at_end, body_len);
    return result;
}

#define EMPTY "\3\0" /* a raw stream */
#define GZIP "\x1f\x8b\x8\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0"
#define BYTES(text) text, sizeof(text) - 1

/* Two raw streams have the checksum of zlib's head, or its method. */
static const struct {
    enum content_coding coding;
    const char *body;
    size_t body_len;
    const char *why; /* NULL: it is whole */
    size_t len;
} ends[] = {
    {CODING_GZIP, BYTES(""), "is cut off", 0},
    {CODING_DEFLATE, BYTES(""), "is cut off", 0},
    {CODING_DEFLATE, BYTES("\x78"), "is cut off", 0},
    {CODING_DEFLATE, BYTES("\x78\x9c"), "is cut off", 0},
    {CODING_DEFLATE, BYTES(EMPTY), NULL, 0},
    {CODING_DEFLATE, BYTES("\1\x17\0\xe8\xff 23456789 123456789 123"), NULL,
     23},
    {CODING_DEFLATE, BYTES("\x8\1\0\xfe\xff.\1\0\0\xff\xff"), NULL, 1},
    {CODING_DEFLATE, BYTES("\x78\1\x4b\4\0\0\x62\0\x62"), NULL, 1},
    {CODING_DEFLATE, BYTES("\x78\x9c\x4b\4\0\0\x62\0\x62"), NULL, 1},
    {CODING_DEFLATE, BYTES("\x78\xda\x4b\4\0\0\x62\0\x62"), NULL, 1},
    {CODING_DEFLATE, BYTES("\x18\x95\x4b\4\0\0\x62\0\x62"), NULL, 1},
    {CODING_DEFLATE, BYTES(EMPTY "\x1f"), "has bytes after its end", 0},
    {CODING_DEFLATE, BYTES(EMPTY GZIP), "has bytes after its end", 0},
    {CODING_GZIP, BYTES(GZIP), NULL, 0},
    {CODING_GZIP, BYTES(GZIP "\x1f"), "has bytes after its end", 0},
    {CODING_GZIP, BYTES(GZIP "\x1f\x8c"), "has bytes after its end", 0},
    {CODING_GZIP, BYTES(GZIP "\x1e\x8b"), "has bytes after its end", 0},
    {CODING_GZIP, BYTES(GZIP "\x1f\x8b"), "is cut off", 0},
    {CODING_GZIP, BYTES(GZIP GZIP), NULL, 0},
    {CODING_GZIP, BYTES("{}"), "is damaged at byte 2: incorrect header check",
     0},
    {CODING_DEFLATE, BYTES("\x78\x20\0\0\0\1"),
     "is damaged at byte 6: it needs a dictionary", 0},
};

LOOP_TEST(inflater_tells_how_a_stream_ends, COUNT(ends))
{
    char why[120] = "";
    size_t len;

    ck_assert_int_eq(inflate_all(ends[_i].coding, ends[_i].body,
                                 ends[_i].body_len, &len, why),
                     ends[_i].why ? INFLATE_DAMAGED : INFLATE_WHOLE);
    ck_assert_str_eq(why, ends[_i].why ? ends[_i].why : "");
    ck_assert_uint_eq(len, ends[_i].len);
}

/* Pieces of the text, around the slices that are compressed at a time. */
static const size_t parts[][3] = {{0},           {1},    {16384, 1},
                                  {16385, 1, 2}, {MOST}, {40000, 32768, 16383}};

LOOP_TEST(gzip_has_all_pieces_in_their_bound, COUNT(parts))
{
    const size_t *part = parts[_i], all = part[0] + part[1] + part[2];
    const struct api_piece pieces[] = {{text, part[0]},
                                       {text + part[0], part[1]},
                                       {text + part[0] + part[1], part[2]}};
    struct heap_watch watch = {.times = 20, .room = 10 * 32};
    size_t bound = content_coding_bound(all), len = 0, back;
    int count = part[2] ? 3 : part[1] ? 2 : 1;
    char why[120];

    while (heap_goes_on(&watch)) {
        len = content_coding_gzip(pieces, count, coded, bound, &never);
        ck_assert_int_eq(inflate_all(CODING_GZIP, coded, len, &back, why),
                         INFLATE_WHOLE);
    }
    ck_assert_uint_eq(back, all);
    ck_assert_mem_eq(again, text, all);
    ck_assert_uint_eq(content_coding_gzip(pieces, count, coded, len, &never),
                      len);
    ck_assert_uint_eq(
        content_coding_gzip(pieces, count, coded, len - 1, &never), 0);
    ck_assert_uint_eq(content_coding_gzip(pieces, count, coded, bound, &always),
                      0);
}

FIXTURE(set_up, NULL)
