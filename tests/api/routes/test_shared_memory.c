/* What clients send to register shared memory, and the list that they get. */
#include "api/server_state.h"
#include "tests/api/ask.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

/* Of a body with ' for ". */
static bool read_one(const char *path, const char *body, struct api_shm_part *r,
                     struct status *st)
{
    char *text = strdup(body);
    struct api_request request = ask_post(path, text);
    struct api_reply reply;
    struct api_route route;
    bool taken;

    memset(r, 0x80, sizeof(*r)); /* what was there before is not read */
    ck_assert(api_route("POST", path, &route, &reply));
    ck_assert_int_eq(route.id, API_ROUTE_SHM_REGISTER);
    taken = api_shm_part_read(&request, &route, r, st);
    free(text);
    return taken;
}

#define REGISTER(name) "/v2/systemsharedmemory/region/" name "/register"

UNIT_TEST(registration_is_name_key_offset_and_size)
{
    struct api_shm_part r;
    struct status st;

    ck_assert(read_one(REGISTER("a%20b%2Fc"),
                       "{'key':'/k','byte_size':64,'offset':3,'other':1}", &r,
                       &st));
    ck_assert_str_eq(r.name, "a b/c");
    ck_assert_str_eq(r.key, "/k");
    ck_assert_uint_eq(r.offset, 3);
    ck_assert_uint_eq(r.bytes, 64);
    ck_assert(read_one(
        REGISTER("x"),
        "{'byte_size':9223372036854775807,'key':'','offset':null}", &r, &st));
    ck_assert_uint_eq(r.offset, 0);
    ck_assert_uint_eq(r.bytes, INT64_MAX);
}

#define NO_SIZE(is)                                                            \
    "byte_size is " is ", but it must be an integer from 1 to 2^63 - 1"

/* Bodies, and parts of their refusals. */
static const char *const refusals[][2] = {
    {"", "JSON"},
    {"[]", "an array"},
    {"{'byte_size':1}", "key is missing"},
    {"{'key':null,'byte_size':1}", "key is missing"},
    {"{'key':7,'byte_size':1}", "key is a"},
    {"{'key':'/a\\u0000b','byte_size':1}", "NUL"},
    {"{'key':'/a'}", NO_SIZE("missing")},
    {"{'key':'/a','byte_size':0}", NO_SIZE("0")},
    {"{'key':'/a','byte_size':-1}", NO_SIZE("-1")},
    {"{'key':'/a','byte_size':-1.0}", NO_SIZE("-1.0")},
    {"{'key':'/a','byte_size':1.5}", NO_SIZE("1.5")},
    {"{'key':'/a','byte_size':9223372036854775808}",
     NO_SIZE("9223372036854775808")},
    {"{'key':'/a','byte_size':'8'}", NO_SIZE("a string")},
    {"{'key':'/a','byte_size':null}", NO_SIZE("missing")},
    {"{'key':'/a','byte_size':8,'offset':-8}", "offset is -8"},
    {"{'key':'/a','byte_size':8,'key':'/b'}", "JSON"},
    {"{'key':'/a','offset':9223372036854771712,'byte_size':8192}", "past 2^63"},
    {"{'key':'/a','offset':18446744073709547520,'byte_size':8192}",
     "offset is 18446744073709547520, but it must be an integer from 0"},
    {"{'key':2.50,'byte_size':8}", "key is 2.50, but"},
};

LOOP_TEST(registration_refusals_name_the_field, COUNT(refusals))
{
    struct api_shm_part r;
    struct status st;

    ck_assert(!read_one(REGISTER("x"), refusals[_i][0], &r, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    assert_parts(st.message, refusals[_i][1]);
}

static const char *const no_names[] = {REGISTER("a%00b"), REGISTER("%FF"),
                                       REGISTER("a%C3"), REGISTER("a%FFb"),
                                       REGISTER("a%")};

LOOP_TEST(registration_of_no_text_is_refused, COUNT(no_names))
{
    struct api_shm_part r;
    struct status st;

    ck_assert(!read_one(no_names[_i], "{'key':'/a','byte_size':8}", &r, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    assert_parts(st.message, "name");
}

UNIT_TEST(registration_names_and_keys_have_a_longest)
{
    char path[512], body[512], name[257], key[257];
    struct api_shm_part r;
    struct status st;

    for (int len = 255; len <= 256; len++) {
        memset(name, 'n', 256);
        name[len] = '\0';
        snprintf(path, sizeof(path), REGISTER("%s"), name);
        st.message[0] = '\0';
        ck_assert_int_eq(read_one(path, "{'key':'/a','byte_size':8}", &r, &st),
                         len == 255);
        ck_assert_str_eq(st.message,
                         len == 255 ? ""
                                    : "the region's name must be UTF-8 text "
                                      "of at most 255 bytes");
        memset(key, 'k', 256);
        key[len] = '\0';
        snprintf(body, sizeof(body), "{'key':'%s','byte_size':8}", key);
        st.message[0] = '\0';
        ck_assert_int_eq(read_one(REGISTER("x"), body, &r, &st), len == 255);
        ck_assert_str_eq(st.message,
                         len == 255 ? ""
                                    : "key has 256 bytes or a NUL among them, "
                                      "but it may have at most 255 and no NUL");
    }
}

UNIT_TEST(registrations_leave_nothing_behind)
{
    size_t before = 0;

    for (int i = 0; i < 20; i++) {
        struct api_shm_part r;
        struct status st;

        ck_assert(
            read_one(REGISTER("x"), "{'key':'/a','byte_size':8}", &r, &st));
        ck_assert(!read_one(REGISTER("x"), "{'key':7}", &r, &st));
        if (i == 9)
            before = heap_in_use();
    }
    ck_assert_uint_le(heap_in_use(), before);
}

UNIT_TEST(registrations_are_listed_escaped)
{
    static const struct api_shm_part list[] = {{"a\"b", "/k", 4096, 8},
                                               {"b", "/l", 0, 1}};
    static const char *const want[] = {
        "[]",
        "[{\"name\":\"a\\\"b\",\"key\":\"/k\",\"offset\":4096,"
        "\"byte_size\":8}]",
        "[{\"name\":\"a\\\"b\",\"key\":\"/k\",\"offset\":4096,"
        "\"byte_size\":8},"
        "{\"name\":\"b\",\"key\":\"/l\",\"offset\":0,\"byte_size\":1}]",
    };
    struct api_reply reply;

    for (size_t i = 0; i < 3; i++) {
        api_shm_list(list, i, &reply);
        ck_assert_int_eq(reply.status, 200);
        ck_assert_uint_eq(reply.pieces[0].len, strlen(want[i]));
        ck_assert_int_eq(memcmp(reply.pieces[0].data, want[i], strlen(want[i])),
                         0);
        api_reply_free(&reply);
    }
}
