/* The header of a .npy file. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "api/wire/npy_header.h"
#include "tests/api/wire/npy_file.h"
#include "tests/count.h"
#include "tests/suite.h"

START_TEST(header_of_every_version_is_read)
{
    size_t len;
    unsigned char *file =
        npy_file(_i + 1, "{'descr': '>i2', " NPY_REST "  \n", 0, &len);
    struct npy_header npy;
    struct status st;

    ck_assert_msg(npy_header_read(file, len, &npy, &st), "%s", st.message);
    ck_assert_uint_eq(npy.size, len);
    ck_assert_int_eq(npy.dtype, DTYPE_INT16);
    ck_assert(npy.big_endian);
    ck_assert_int_eq(npy.shape.rank, 2);
    ck_assert_int_eq(npy.shape.dims[0], 2);
    ck_assert_int_eq(npy.shape.dims[1], 3);
    for (size_t cut = 0; cut < len; cut++) {
        unsigned char *part = malloc(cut + 1);

        memcpy(part, file, cut);
        ck_assert(!npy_header_read(part, cut, &npy, &st));
        /* The bytes behind it would make it whole. */
        ck_assert(!npy_header_read(file, cut, &npy, &st));
        free(part);
    }
    free(file);
}
END_TEST

#define TEN "1,1,1,1,1,1,1,1,1,1,"
#define TEN_DIMS "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "

static const struct {
    const char *header, *shape;
} taken[] = {
    {"{'shape':(),'fortran_order':True,\"descr\":\"|b1\"}", "[]"},
    {"{'descr':'<c16','fortran_order':True,'shape':(7L,)}", "[7]"},
    {"{'descr':'=f8','fortran_order':False,'shape':(0,3,)}", "[0, 3]"},
    {"{'descr':'<u8','fortran_order':False,'shape':(9223372036854775806,)}",
     "[9223372036854775806]"},
    {"{'descr':'<c8','fortran_order':False,'shape':(" TEN TEN TEN "1,1)}",
     "[" TEN_DIMS TEN_DIMS TEN_DIMS "1, 1]"},
};

START_TEST(header_is_read_in_any_order)
{
    char shape[128];
    size_t len;
    unsigned char *file = npy_file(1, taken[_i].header, 0, &len);
    struct npy_header npy;
    struct status st;

    ck_assert_msg(npy_header_read(file, len, &npy, &st), "%s", st.message);
    ck_assert_str_eq(shape_print(&npy.shape, shape, sizeof(shape)),
                     taken[_i].shape);
    free(file);
}
END_TEST

/* A header that says it ends at each byte: none is read past its end. */
START_TEST(header_that_is_cut_is_malformed)
{
    size_t start = _i == 0 ? 10 : 12, len;
    const char *header = "{'descr': '<f4', " NPY_REST;
    unsigned char *file = npy_file(_i + 1, header, 0, &len);
    struct npy_header npy;
    struct status st;

    for (size_t size = 0; size < strlen(header); size++) {
        unsigned char *part = malloc(start + size + 1);

        memcpy(part, file, start + size);
        part[8] = (unsigned char)size;
        ck_assert(!npy_header_read(part, start + size, &npy, &st));
        ck_assert_int_eq(st.code, STATUS_INVALID);
        free(part);
    }
    free(file);
}
END_TEST

/* At the bounds of a dim, of the header's length and of its version. */
START_TEST(header_at_its_bounds)
{
    static char header[(64 << 10) + 2];
    struct npy_header npy;
    struct status st;
    unsigned char *file;
    size_t len;

    for (int longer = 0; longer < 2; longer++) {
        memset(header, ' ', sizeof(header) - 1);
        memcpy(header, "{'descr': '<f4', " NPY_REST,
               strlen("{'descr': '<f4', " NPY_REST));
        header[(64 << 10) + longer] = '\0';
        file = npy_file(2, header, 0, &len);
        file[10] = 1; /* 65536 */
        ck_assert_int_eq(npy_header_read(file, len, &npy, &st), !longer);
        if (!longer)
            ck_assert_uint_eq(npy.size, len);
        file[6] = 0;
        ck_assert(!npy_header_read(file, len, &npy, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "version 0.0"));
        file[6] = 2;
        file[7] = 1;
        ck_assert(!npy_header_read(file, len, &npy, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "version 2.1"));
        free(file);
    }
}
END_TEST

#define WITH_SHAPE(shape)                                                      \
    "{'descr': '<f4', 'fortran_order': False, 'shape': " shape "}"
static const struct {
    const char *header, *part;
} refused[] = {
    {"", "no dictionary"},
    {"[]", "no dictionary"},
    {"{1: 2}", "no dictionary"},
    {"{'descr' '<f4'}", "no dictionary"},
    {"{'descr: 1}", "no dictionary"},
    {"{'descr': '<f4' 'shape': (2,)}", "no dictionary"},
    {"{'descr': '<f4', " NPY_REST "}", "goes on behind"},
    {"{" NPY_REST, "lacks descr"},
    {"{'descr': '<f4', 'descr': '<f4', " NPY_REST, "or twice"},
    {"{'order': 'C', " NPY_REST, "none of descr"},
    {"{'shape': (2,), 'fortran_order': False}", "lacks descr"},
    {"{'descr': '<f4', 'shape': (2,)}", "lacks descr"},
    {"{'descr': '<f4', 'fortran_order': False}", "lacks descr"},
    {"{'descr': '<', " NPY_REST, "dtype is '<'"},
    {"{'descr': '<f', " NPY_REST, "dtype is '<f'"},
    {"{'descr': '<f04', " NPY_REST, "dtype is '<f04'"},
    {"{'descr': '<f4x', " NPY_REST, "dtype is '<f4x'"},
    {"{'descr': '<f0123456789012345678901234567890123456789', " NPY_REST,
     "dtype is '<f01234567890123456789012345678901234567', but"},
    {"{'descr': '<f4', 'fortran_order': Fals", "neither True nor False"},
    {"{'descr': '<f4', 'fortran_order': Falsy}", "neither True nor False"},
    {"{'descr': 4, " NPY_REST, "descr is no text"},
    {"{'descr': '<f4, "
     "}",
     "descr is no text"},
    {"{'descr': [('a', '<f4')], " NPY_REST, "structured elements"},
    {"{'descr': '', " NPY_REST, "dtype is ''"},
    {"{'descr': '<f16', " NPY_REST, "dtype is '<f16'"},
    {"{'descr': '<f3', " NPY_REST, "dtype is '<f3'"},
    {"{'descr': '|O', " NPY_REST, "dtype is '|O'"},
    {"{'descr': 'xf4', " NPY_REST, "dtype is 'xf4'"},
    {"{'fortran_order': 1}", "neither True nor False"},
    {"{'fortran_order': True, 'shape': (2, 3), 'descr': '<f4'}",
     "numpy.ascontiguousarray"},
    {WITH_SHAPE("2"), "shape is no tuple"},
    {WITH_SHAPE("(2 3)"), "shape is no tuple"},
    {WITH_SHAPE("(-2,)"), "what is no dim"},
    {WITH_SHAPE("(L,)"), "what is no dim"},
    {WITH_SHAPE("(99999999999999999999,)"), "what is no dim"},
    {WITH_SHAPE("(9223372036854775807,)"), "what is no dim"},
    {WITH_SHAPE("(" TEN TEN TEN "1,1,1)"), "above the limit of 32"},
};

START_TEST(malformed_header_is_named)
{
    size_t len;
    unsigned char *file = npy_file(1, refused[_i].header, 2, &len);
    struct npy_header npy;
    struct status st = {0};

    if (len < 14) /* less is no file at all */
        file[8] = 2;
    else
        len -= 2;
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].part), "no \"%s\" in: %s",
                  refused[_i].part, st.message);
    free(file);
}
END_TEST

START_TEST(malformed_preamble_is_named)
{
    size_t len;
    unsigned char *file = npy_file(1, "{'descr': '<f4', " NPY_REST, 0, &len);
    struct npy_header npy;
    struct status st;

    file[6] = 4;
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "version 4.0"));
    file[6] = 2; /* the length is now of four bytes, and too long */
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "longer than the file"));
    file[1] = 'X';
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "does not start with"));
    free(file);
}
END_TEST

SUITE("npy_header", LOOP(header_of_every_version_is_read, 3),
      LOOP(header_is_read_in_any_order, COUNT(taken)),
      LOOP(header_that_is_cut_is_malformed, 3), TEST(header_at_its_bounds),
      LOOP(malformed_header_is_named, COUNT(refused)),
      TEST(malformed_preamble_is_named))
