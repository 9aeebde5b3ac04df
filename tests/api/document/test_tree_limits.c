/* The limits of documents, and the memory that is asked for. */
#include "api/document/tree.h"
#include "tests/api/ask.h"
#include "tests/unit.h"

/* `count` times `part`, between `head` and `tail`; ' stands for ". */
static char *repeat(const char *head, const char *part, size_t count,
                    const char *tail)
{
    char *text = malloc(strlen(head) + strlen(part) * count + strlen(tail) + 1);
    char *at = text;

    ck_assert_ptr_nonnull(text);
    at = stpcpy(at, head);
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, part);
    strcpy(at, tail);
    ask_quote(text);
    return text;
}

static bool read_text(const char *text, struct tree *tree, struct status *st)
{
    const struct tree_text source = tree_infer(text, strlen(text));

    tree_init(tree, NULL, 0);
    return tree_read(tree, &source, st);
}

/* Reads the text and frees the tree. */
static bool is_read(const char *text, struct status *st)
{
    struct tree tree;
    bool ok = read_text(text, &tree, st);

    tree_free(&tree);
    return ok;
}

static void assert_limit(const char *head, const char *part, size_t most,
                         const char *tail, const char *message)
{
    char *good = repeat(head, part, most, tail);
    char *bad = repeat(head, part, most + 1, tail);
    char *worse = repeat(head, part, most + 2, tail);
    struct status st;

    ck_assert_msg(is_read(good, &st), "%s", st.message);
    ck_assert(!is_read(bad, &st));
    ck_assert_msg(strstr(st.message, message) != NULL, "%s", st.message);
    ck_assert(st.code == STATUS_INVALID || st.code == STATUS_TOO_LARGE);
    ck_assert(!is_read(worse, &st));
    free(good);
    free(bad);
    free(worse);
}

UNIT_TEST(values_are_limited)
{
    /* The object, the array and its last 0 are three. */
    static const char *const values[] = {"0,", "{},", "'',", "[],"};

    for (int i = 0; i < COUNT(values); i++)
        assert_limit("{'a':[", values[i], TREE_MAX_VALUES - 3, "0]}",
                     "more than 2000 values");
    assert_limit("{'instances':[", "0,", TREE_MAX_VALUES - 3, "0]}",
                 "POST /v2/models/{model}/infer takes inputs");
    assert_limit("{'instances2':[", "0,", TREE_MAX_VALUES - 3, "0]}",
                 "more than 2000 values");
    assert_limit("{'inputs':0,'instances':[", "0,", TREE_MAX_VALUES - 4, "0]}",
                 "more than 2000 values");
}

/* An object with so many keys of `width` bytes, which differ in the middle. */
static char *print_keys(int count, int width, int twice)
{
    size_t len;
    char *text;
    FILE *out = open_memstream(&text, &len);

    for (int i = 0; i < count; i++)
        fprintf(out, "%s\"%0*d%0*d\":0", i ? "," : "{", width / 2,
                i == twice ? 0 : i, width - width / 2, 7);
    fputc('}', out);
    fclose(out);
    return text;
}

UNIT_TEST(object_may_have_many_keys_but_none_twice)
{
    for (int count = 1; count < TREE_MAX_VALUES; count += 1 + count / 3)
        for (int width = 8; width < 2000; width *= 15) {
            char *good = print_keys(count, width, -1);
            char *bad = print_keys(count + 1, width, count);
            struct status st;

            ck_assert_msg(is_read(good, &st), "%s", st.message);
            ck_assert(!is_read(bad, &st));
            ck_assert_msg(strstr(st.message, "duplicate key '0000"), "%s",
                          st.message);
            free(good);
            free(bad);
        }
}

UNIT_TEST(length_of_numbers_is_limited)
{
    assert_limit("{'id':", "7", TREE_MAX_NUMBER, "}",
                 "the number at byte 6 has 401 characters, but the limit "
                 "outside of data arrays is 400");
    assert_limit("{'a':[1,-", "7", TREE_MAX_NUMBER - 1, "]}",
                 "the number at byte 8 has 401 characters");
    assert_limit("{'a':1.", "0", TREE_MAX_NUMBER - 4, "e5}",
                 "the number at byte 5 has 401 characters");
    assert_limit("{'inputs':[{'data':[1],'shape':[", "7", TREE_MAX_NUMBER,
                 "]}]}", "the number at byte 32 has 401 characters");
}

UNIT_TEST(numbers_of_data_are_not_limited)
{
    char *text = repeat("{'inputs':[{'data':[1.", "7", 1000000, "]}]}");
    struct status st;
    struct tree tree;

    ck_assert(read_text(text, &tree, &st));
    ck_assert_uint_eq(
        tree_get(tree_get(tree.root, "inputs")->first, "data")->bytes, 1000004);
    tree_free(&tree);
    free(text);
}

/* Each is a value in another. */
UNIT_TEST(data_arrays_are_limited_as_values)
{
    assert_limit("{'id':0,'inputs':[{}", ",{'data':[1,2,3,4]}",
                 (TREE_MAX_VALUES - 4) / 2, "]}", "more than 2000 values");
}

UNIT_TEST(bytes_beside_data_are_limited)
{
    /* {"a":""} has 8 bytes. */
    assert_limit("{'a':'", "x", TREE_MAX_BYTES - 8, "'}",
                 "more than 4194304 bytes");
    assert_limit("{'a':'", "\\n", TREE_MAX_BYTES / 2 - 4, "'}",
                 "more than 4194304 bytes");
    assert_limit("{'a':", " ", TREE_MAX_BYTES - 8, "''}",
                 "more than 4194304 bytes");
    assert_limit("{'", "x", TREE_MAX_BYTES - 6, "':1}",
                 "more than 4194304 bytes");
}

UNIT_TEST(bytes_of_data_are_not_limited)
{
    char *text = repeat("{'inputs':[{'data':[0", ",[]", 2000000, "]}]}");
    struct status st;

    ck_assert_msg(is_read(text, &st), "%s", st.message);
    free(text);
}

UNIT_TEST(depth_is_limited)
{
    char *close = repeat("", "]", TREE_MAX_DEPTH - 1, "}");
    char *good = repeat("{'a':", "[", TREE_MAX_DEPTH - 1, close);
    char *deep = repeat("{'a':", "[", 10000000, "");
    struct status st;

    ck_assert(is_read(good, &st));
    ck_assert(!is_read(deep, &st));
    ck_assert_str_eq(st.message,
                     "the document is nested more than 100 deep, at byte 104");
    free(deep);
    deep = repeat("{'inputs':[{'data':", "[", 10000000, "}]}");
    ck_assert(!is_read(deep, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "the array is not closed"));
    free(deep);
    free(good);
    free(close);
}

/* Grants `left` bytes. */
static bool take(void *left, size_t bytes)
{
    size_t *grant = left;

    if (bytes > *grant)
        return false;
    *grant -= bytes;
    return true;
}

/* Reads with so many bytes of heap, of which *left are left. */
static bool read_granted(const char *text, size_t grant, size_t *left,
                         struct status *st)
{
    const struct api_heap heap = {take, left};
    struct tree_text source = tree_infer(text, strlen(text));
    struct tree tree;
    bool ok;

    *left = grant;
    source.heap = &heap;
    tree_init(&tree, NULL, 0);
    ok = tree_read(&tree, &source, st);
    if (ok)
        ck_assert_uint_le(tree.bytes, grant - *left + API_HEAP_FREE);
    tree_free(&tree);
    return ok;
}

/* A document of `count` empty objects, 48 bytes of heap each. */
static bool read_objects(int count, size_t grant, size_t *left,
                         struct status *st)
{
    char *text = repeat("{'a':[0", ",{}", (size_t)count, "]}");
    bool ok = read_granted(text, grant, left, st);

    free(text);
    return ok;
}

UNIT_TEST(heap_is_asked_for_beyond_the_free_bytes)
{
    struct status st;
    size_t left;

    ck_assert(read_objects(10, 0, &left, &st));
    ck_assert(read_objects(1990, 1 << 20, &left, &st));
    ck_assert_uint_lt(left, 1 << 20);
}

UNIT_TEST(heap_that_is_not_granted_ends_the_reading)
{
    struct status st;
    size_t left;

    ck_assert(!read_objects(1990, 0, &left, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert(!read_objects(1990, 60 << 10, &left, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
}

/* A long string is asked for at once. */
UNIT_TEST(memory_of_a_long_string_is_asked_for)
{
    char *text = repeat("{'a':'", "a", 1000000, "'}");
    struct status st;
    size_t left;

    ck_assert(!read_granted(text, 999999, &left, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert(read_granted(text, 1100000, &left, &st));
    ck_assert_uint_le(left, 100000);
    free(text);
}

/* Room is used first, and borrowed. */
UNIT_TEST(room_is_used_before_the_heap)
{
    const struct tree_text small = tree_infer("{\"a\":[1,\"b\"]}", 13);
    char *text = repeat("{'a':[0", ",{}", 100, "]}");
    const struct tree_text large = tree_infer(text, strlen(text));
    _Alignas(16) char room[512];
    struct tree tree;
    struct status st;

    tree_init(&tree, room, sizeof(room));
    ck_assert(tree_read(&tree, &small, &st));
    ck_assert_uint_eq(tree.bytes, 0);
    tree_free(&tree);
    tree_init(&tree, room, sizeof(room));
    ck_assert(tree_read(&tree, &large, &st));
    ck_assert_uint_gt(tree.bytes, 0);
    ck_assert_uint_eq(tree_get(tree.root, "a")->count, 101);
    tree_free(&tree);
    free(text);
}
