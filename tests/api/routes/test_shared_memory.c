/* What clients send to register shared memory, and the list that they get. */
#include "api/api.h"
#include "api/server_state.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

static bool read_one(const char *path, const char *body, struct api_shm_part *r,
                     struct status *st)
{
    struct api_request request = {.method = "POST", .path = path};
    struct api_reply reply;
    struct api_route route;
    char text[1024];

    ck_assert_uint_lt(strlen(body), sizeof(text));
    strcpy(text, body);
    memset(r, 0x80, sizeof(*r)); /* what was there before is not read */
    request.body = (unsigned char *)text;
    request.body_len = strlen(body);
    ck_assert(api_route("POST", path, &route, &reply));
    ck_assert_int_eq(route.id, API_ROUTE_SHM_REGISTER);
    return api_shm_part_read(&request, &route, r, st);
}

#define REGISTER(name) "/v2/systemsharedmemory/region/" name "/register"

UNIT_TEST(registration_is_name_key_offset_and_size)
{
    struct api_shm_part r;
    struct status st;

    ck_assert(read_one(REGISTER("a%20b%2Fc"),
                       "{\"key\":\"/k\",\"byte_size\":64,\"offset\":3,"
                       "\"other\":1}",
                       &r, &st));
    ck_assert_str_eq(r.name, "a b/c");
    ck_assert_str_eq(r.key, "/k");
    ck_assert_uint_eq(r.offset, 3);
    ck_assert_uint_eq(r.bytes, 64);
    ck_assert(read_one(REGISTER("x"),
                       "{\"byte_size\":9223372036854775807,\"key\":\"\","
                       "\"offset\":null}",
                       &r, &st));
    ck_assert_uint_eq(r.offset, 0);
    ck_assert_uint_eq(r.bytes, INT64_MAX);
}

static const struct {
    const char *path, *body, *part;
} refusals[] = {
    {REGISTER("x"), "", "JSON"},
    {REGISTER("x"), "[]", "an array"},
    {REGISTER("x"), "{\"byte_size\":1}", "key is missing"},
    {REGISTER("x"), "{\"key\":null,\"byte_size\":1}", "key is missing"},
    {REGISTER("x"), "{\"key\":7,\"byte_size\":1}", "key is a"},
    {REGISTER("x"), "{\"key\":\"/a\\u0000b\",\"byte_size\":1}", "NUL"},
    {REGISTER("x"), "{\"key\":\"/a\"}", "byte_size is missing"},
    {REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":0}", "byte_size is 0"},
    {REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":-1}", "byte_size is -1"},
    {REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":-1.0}",
     "byte_size is -1.0, but"},
    {REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":1.5}",
     "byte_size is 1.5, but it must be an integer"},
    {REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":\"8\"}", "a string"},
    {REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":8,\"offset\":-8}",
     "offset is -8"},
    {REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":8,\"key\":\"/b\"}", "JSON"},
    {REGISTER("x"),
     "{\"key\":\"/a\",\"offset\":9223372036854771712,\"byte_size\":8192}",
     "past 2^63"},
    {REGISTER("x"),
     "{\"key\":\"/a\",\"offset\":18446744073709547520,\"byte_size\":8192}",
     "offset is 18446744073709547520, but it must be an integer from 0"},
    {REGISTER("x"), "{\"key\":2.50,\"byte_size\":8}", "key is 2.50, but"},
    {REGISTER("a%00b"), "{\"key\":\"/a\",\"byte_size\":8}", "name"},
    {REGISTER("%FF"), "{\"key\":\"/a\",\"byte_size\":8}", "name"},
    {REGISTER("a%C3"), "{\"key\":\"/a\",\"byte_size\":8}", "name"},
    {REGISTER("a%FFb"), "{\"key\":\"/a\",\"byte_size\":8}", "name"},
    {REGISTER("a%"), "{\"key\":\"/a\",\"byte_size\":8}", "name"},
};

LOOP_TEST(registration_refusals_name_the_field, COUNT(refusals))
{
    struct api_shm_part r;
    struct status st;

    ck_assert(!read_one(refusals[_i].path, refusals[_i].body, &r, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refusals[_i].part), "no \"%s\" in: %s",
                  refusals[_i].part, st.message);
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
        ck_assert_int_eq(
            read_one(path, "{\"key\":\"/a\",\"byte_size\":8}", &r, &st),
            len == 255);
        ck_assert_str_eq(st.message,
                         len == 255 ? ""
                                    : "the region's name must be UTF-8 text "
                                      "of at most 255 bytes");
        memset(key, 'k', 256);
        key[len] = '\0';
        snprintf(body, sizeof(body), "{\"key\":\"%s\",\"byte_size\":8}", key);
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

        ck_assert(read_one(REGISTER("x"), "{\"key\":\"/a\",\"byte_size\":8}",
                           &r, &st));
        ck_assert(!read_one(REGISTER("x"), "{\"key\":7}", &r, &st));
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
