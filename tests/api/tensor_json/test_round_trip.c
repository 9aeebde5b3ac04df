/* Arrays of random values: converted, printed, and read again. */
#include "tests/api/tensor_json/random_array.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

/* The values are printed into memory of just the bound and read again. */
static void assert_round_trip(const struct random_array *source,
                              const unsigned char *data, size_t bytes)
{
    struct data_array a = source->array;
    struct tensor tensor = {.name = "input", .dtype = a.dtype, .data = data};
    size_t bound = tensor_json_print_bound(a.dtype, a.count), len;
    char *text = malloc(bound + 2), *end = text + 1;
    unsigned char *back = malloc(bytes + 1);
    struct status st = {0};

    ck_assert(text && back);
    text[0] = '[';
    ck_assert(tensor_json_print(&tensor, a.count, &end, NULL, &st));
    len = (size_t)(end - text) - 1;
    ck_assert_uint_le(len, bound);
    text[1 + len] = ']';
    a.text = text;
    a.len = len + 2;
    ck_assert_msg(tensor_json_to_binary(&a, back, NULL, &st), "%s", st.message);
    ck_assert(memcmp(back, data, bytes) == 0);
    free(back);
    free(text);
}

/* The value of a token as the C library reads it. */
static double read_part(const struct random_array *source, uint64_t part)
{
    const char *text = source->elements[part / 2];

    return strtod(part % 2 ? strchr(text, ',') + 1 : text, NULL);
}

static void assert_floats(const struct random_array *source,
                          const unsigned char *data)
{
    enum dtype dtype = source->array.dtype;

    for (uint64_t i = 0; i < source->array.count; i++) {
        double single = (double)strtof(source->elements[i], NULL);
        double value = strtod(source->elements[i], NULL);

        if (dtype == DTYPE_FP32)
            ck_assert(memcmp(data + 4 * i, &(float){(float)single}, 4) == 0);
        if (dtype == DTYPE_FP64)
            ck_assert(memcmp(data + 8 * i, &value, 8) == 0);
    }
    for (uint64_t i = 0; i < 2 * source->array.count; i++) {
        if (dtype == DTYPE_COMPLEX128)
            ck_assert(
                memcmp(data + 8 * i, &(double){read_part(source, i)}, 8) == 0);
    }
}

LOOP_TEST(random_arrays_convert_and_round_trip, DTYPE_COUNT)
{
    enum dtype dtype = (enum dtype)_i;
    uint64_t state = (uint64_t)_i + 500;

    if (dtype_info(dtype)->kind == DTYPE_KIND_OPAQUE || dtype == DTYPE_BYTES)
        return;
    for (int i = 0; i < 40; i++) {
        struct random_array source;
        struct naive naive;
        struct status st = {0};
        unsigned char *data;
        size_t bytes;

        naive_random_case(&state, &naive);
        random_array_init(&source, dtype, &naive.shape, &state);
        ck_assert(
            tensor_bytes(dtype, source.array.count, "input", &bytes, &st));
        data = malloc(bytes + 1);
        ck_assert_ptr_nonnull(data);
        ck_assert_msg(tensor_json_to_binary(&source.array, data, NULL, &st),
                      "%s", st.message);
        assert_floats(&source, data);
        assert_round_trip(&source, data, bytes);
        free(data);
        random_array_free(&source);
    }
}

/* Random bits include denormals, NaNs and the longest tokens. */
LOOP_TEST(print_stays_within_the_bound, DTYPE_COUNT)
{
    enum { COUNT = 4000 };
    enum dtype dtype = (enum dtype)_i;
    struct tensor tensor = {.name = "input", .dtype = dtype};
    size_t bound = 0, bytes;
    uint64_t state = (uint64_t)_i;
    struct status st = {0};
    unsigned char *data;
    char *text, *end;

    if (dtype_info(dtype)->kind == DTYPE_KIND_OPAQUE || dtype == DTYPE_BYTES ||
        dtype == DTYPE_BOOL)
        return;
    bound = tensor_json_print_bound(dtype, COUNT);
    ck_assert(tensor_bytes(dtype, COUNT, "input", &bytes, &st));
    data = malloc(bytes);
    text = malloc(bound);
    ck_assert(data && text);
    naive_fill(&state, data, bytes);
    tensor.data = data;
    end = text;
    ck_assert(tensor_json_print(&tensor, COUNT, &end, NULL, &st));
    ck_assert_uint_le((size_t)(end - text), bound);
    free(text);
    free(data);
}
