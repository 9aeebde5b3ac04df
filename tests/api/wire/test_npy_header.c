/* The header of a .npy file. */
#include "api/wire/wire.h"
#include "tests/api/wire/npy_file.h"
#include "tests/edge.h"
#include "tests/unit.h"

enum { HEADER_MOST = 1024 }; /* bytes that are written, at most */

/* Reads `len` bytes behind which there are none. */
static bool read_header(const void *file, size_t len, struct npy_header *npy,
                        struct status *st)
{
    unsigned char *copy = edge_copy(file, len);
    bool done = npy_header_read(copy, len, npy, st);

    edge_free(copy, len);
    return done;
}

/* Reads a file of this header. */
static bool read_file(int version, const char *header, struct npy_header *npy,
                      struct status *st)
{
    size_t len;
    unsigned char *file = npy_file(version, header, 0, &len);
    bool done = read_header(file, len, npy, st);

    ck_assert(!done || npy->size == len);
    free(file);
    return done;
}

LOOP_TEST(header_of_every_version_is_read, 3)
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
    for (size_t cut = 0; cut < len; cut++)
        /* The bytes behind it would make it whole. */
        if (read_header(file, cut, &npy, &st) ||
            npy_header_read(file, cut, &npy, &st))
            ck_abort_msg("%zu bytes are read", cut);
    for (int high = 10; _i > 0 && high < 12; high++) {
        file[high] = 1; /* the length has four bytes */
        ck_assert(!read_header(file, len, &npy, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "but numpy.load() reads at "
                                                 "most 10000"));
        file[high] = 0;
    }
    free(file);
}

#define TEN "1,1,1,1,1,1,1,1,1,1,"
#define TEN_DIMS "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "

/* Headers and their shapes. */
static const char *const taken[][2] = {
    {"{'shape':(),'fortran_order':True,\"descr\":\"|b1\"}", "[]"},
    {"{'descr':'<c16','fortran_order':True,'shape':(7L,)}", "[7]"},
    {"{'descr':'=f8','fortran_order':False,'shape':(0,3,)}", "[0, 3]"},
    {"{'descr':'|u1','fortran_order':False,'shape':(9223372036854775806,)}",
     "[9223372036854775806]"},
    {" \t{'descr':'<f4','fortran_order':False,'shape':( 00 , 10 , )} \r\n\t ",
     "[0, 10]"},
    {"{u'descr':u'<f4',\nu'fortran_order':False,u'shape':(3L, 4L)}", "[3, 4]"},
    {"{'descr':'<c16','fortran_order':False,'shape':(0,576460752303423487)}",
     "[0, 576460752303423487]"},
    {"{'descr':'<c8','fortran_order':False,'shape':(" TEN TEN TEN "1,1)}",
     "[" TEN_DIMS TEN_DIMS TEN_DIMS "1, 1]"},
};

LOOP_TEST(header_is_read_in_any_order, COUNT(taken))
{
    char shape[128];
    struct npy_header npy;
    struct status st;

    ck_assert_msg(read_file(1, taken[_i][0], &npy, &st), "%s", st.message);
    ck_assert_str_eq(shape_print(&npy.shape, shape, sizeof(shape)),
                     taken[_i][1]);
}

static const char *const whole[] = {
    "{'descr': '<f4', " NPY_REST,
    " \t{ u'descr' : u\"<f4\" , 'fortran_order' : False , 'shape' : ( 2 , 34 ) "
    "}",
    "{'shape':(),'descr':'<f4','fortran_order':True}",
    "{'descr':'<f4','shape':(2,),'fortran_order':False}",
};

/* A header that says it ends at each byte: none is read past its end, not even
 * where what follows would complete it. */
LOOP_TEST(header_that_is_cut_is_malformed, 3 * COUNT(whole))
{
    const char *header = whole[_i / 3];
    size_t start = _i % 3 == 0 ? 10 : 12, len;
    unsigned char *file = npy_file(1 + _i % 3, header, 0, &len);
    struct npy_header npy;
    struct status st;

    ck_assert(read_header(file, len, &npy, &st));
    for (size_t size = 0; size < strlen(header); size++) {
        file[8] = (unsigned char)size;
        for (int behind = 0; behind < 2; behind++)
            if (read_header(file, behind ? len : start + size, &npy, &st) ||
                st.code != STATUS_INVALID)
                ck_abort_msg("%zu bytes of %s are read", size, header);
    }
    free(file);
}

/* At the bounds of a dim, of the header's length and of its version. */
UNIT_TEST(header_at_its_bounds)
{
    enum { MOST = 10000 };
    static char header[MOST + 2];
    struct npy_header npy;
    struct status st;
    unsigned char *file;
    size_t len;

    for (int longer = 0; longer < 2; longer++) {
        memset(header, ' ', sizeof(header) - 1);
        memcpy(header, "{'descr': '<f4', " NPY_REST,
               strlen("{'descr': '<f4', " NPY_REST));
        header[MOST + longer] = '\0';
        file = npy_file(2, header, 0, &len);
        ck_assert_int_eq(npy_header_read(file, len, &npy, &st), !longer);
        if (!longer)
            ck_assert_uint_eq(npy.size, len);
        else
            ck_assert_str_eq(st.message,
                             "malformed .npy file: its header has 10001 bytes, "
                             "but numpy.load() reads at most 10000, and the "
                             "file goes on for 10001");
        file[6] = 0;
        ck_assert(!npy_header_read(file, len, &npy, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "version 0.0"));
        file[6] = 2;
        file[7] = 1;
        ck_assert(!npy_header_read(file, len, &npy, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "version 2.1, but 1.0, 2.0 "
                                                 "and 3.0 are known"));
        free(file);
    }
}

#define WITH_SHAPE(shape)                                                      \
    "{'descr': '<f4', 'fortran_order': False, 'shape': " shape "}"
#define ENTRY(key)                                                             \
    "malformed .npy file: its header has the entry '" key "', but it must "    \
    "have descr, fortran_order and shape, each once"
#define ORDER(is)                                                              \
    "malformed .npy file: fortran_order is '" is "', but it must be True or "  \
    "False"
#define DESCR(is)                                                              \
    "malformed .npy file: descr is '" is "', but it must be a text in quotes"
#define DIM(axis, is)                                                          \
    "malformed .npy file: shape[" axis "] is '" is "', but it must be an "     \
    "integer from 0 to 2^63 - 2 without leading zeros, and ',' or ')' behind " \
    "it"
static const char *const refused[][2] = {
    {"", "malformed .npy file: its header is no dictionary"},
    {"[]", "no dictionary"},
    {"{1: 2}", "no dictionary"},
    {"{'descr' '<f4'}", "no dictionary"},
    {"{'x', 'descr': '<f4', " NPY_REST, "no dictionary"},
    {"{xdescrx: '<f4', " NPY_REST, "no dictionary"},
    {"{'descr: 1}", "no dictionary"},
    {"{'descr': '<f4' 'shape': (2,)}", "no dictionary"},
    {"{'descr': '<f4', " NPY_REST "}", "goes on behind"},
    {"{" NPY_REST, "lacks descr"},
    {"{'descr': '<f4', 'descr': '<f4', " NPY_REST, ENTRY("descr")},
    {"{'shape': (2,), 'shape': (2,), 'descr': '<f4'}", ENTRY("shape")},
    {"{'fortran_order': True, 'fortran_order': True}", ENTRY("fortran_order")},
    {"{'order': 'C', " NPY_REST, ENTRY("order")},
    {"{'': '<f4', " NPY_REST, ENTRY("")},
    {"{'desc': '<f4', " NPY_REST, ENTRY("desc")},
    {"{'descrs': '<f4', " NPY_REST, ENTRY("descrs")},
    {"{'de~scr': '<f4', " NPY_REST, ENTRY("de")},
    {"{'01234567890123456789012345678901234567890': 1}",
     ENTRY("0123456789012345678901234567890123456789")},
    {"{'shape': (2,), 'fortran_order': False}", "lacks descr"},
    {"{'descr': '<f4', 'shape': (2,)}", "lacks descr"},
    {"{'descr': '<f4', 'fortran_order': False}", "lacks descr"},
    {"{'descr': '<', " NPY_REST,
     "the array's dtype is '<', but it must be bool, (u)int8 to (u)int64, "
     "float16 to float64, complex64 or complex128"},
    /* ~ stands for a NUL, at which the error ends. */
    {"{'descr': '~', " NPY_REST, "dtype is ''"},
    {"{'descr': '<~', " NPY_REST, "dtype is '<'"},
    {"{'descr': 'int8~', " NPY_REST, "dtype is 'int8'"},
    {"{'descr': '<f0123456789012345678901234567890123456789', " NPY_REST,
     "dtype is '<f01234567890123456789012345678901234567', but"},
    {"{'descr': '<f4', 'fortran_order': Fals", ORDER("Fals")},
    {"{'fortran_order': False", "no dictionary"},
    {"{'fortran_order': True", "no dictionary"},
    {"{'descr': '<f4', 'fortran_order': Falsy}", ORDER("Falsy")},
    {"{'descr': '<f4', 'fortran_order': ", ORDER("")},
    {"{'descr': 4, " NPY_REST, DESCR("4")},
    {"{'descr': '<f4, "
     "}",
     DESCR("<f4")},
    {"{'descr': [('a', '<f4')], " NPY_REST,
     "the array has structured elements: send one field"},
    {"{'descr': '', " NPY_REST, "dtype is ''"},
    {"{'fortran_order': 1}", ORDER("1")},
    {"{'fortran_order': (False), 'shape': (2, 3), 'descr': '<f4'}",
     ORDER("(False")},
    {"\n{'descr': '<f4', " NPY_REST, "no dictionary"},
    {"b{'descr': '<f4', " NPY_REST, "no dictionary"},
    {"{'descr': b'<f4', " NPY_REST, DESCR("b'<f4'")},
    {"{'descr': u4, " NPY_REST, DESCR("4")},
    {"{'descr': .<f4., " NPY_REST, DESCR(".<f4.")},
    {WITH_SHAPE("2"), "malformed .npy file: shape is '2', but it must be a "
                      "tuple such as (3, 4)"},
    {WITH_SHAPE("(3)"),
     "shape is a number, for a tuple of one has a comma: (3,)"},
    {WITH_SHAPE("( 3 )"), "shape is a number"},
    {WITH_SHAPE("(3L)"), "shape is a number"},
    {WITH_SHAPE("[3]"), "shape is '[3]', but it must be a tuple"},
    {WITH_SHAPE("(03,)"), DIM("0", "03")},
    {WITH_SHAPE("(01,)"), DIM("0", "01")},
    {WITH_SHAPE("(,)"), DIM("0", ",")},
    {WITH_SHAPE("(3,,)"), DIM("1", ",")},
    {WITH_SHAPE("(3.0,)"), DIM("0", "3.0")},
    {WITH_SHAPE("(3l,)"), DIM("0", "3l")},
    {WITH_SHAPE("(0x4,4)"), DIM("0", "0x4")},
    {WITH_SHAPE("('4', 4)"), DIM("0", "'4'")},
    {WITH_SHAPE("(4, 4"), DIM("1", "4")},
    {WITH_SHAPE("(4, 4, "), DIM("2", "}")},
    {"{'shape': (4", DIM("0", "4")},
    {"{'shape': (4,", DIM("1", "")},
    {"{'shape': (~", DIM("0", "")},
    {WITH_SHAPE("(" TEN TEN "+0123456789012345678901234567890123456789012,)"),
     DIM("20", "+012345678901234567890123456789012345678...")},
    {WITH_SHAPE("(True,)"), DIM("0", "True")},
    {WITH_SHAPE("(0,2305843009213693952)"),
     "the array's dims, without those of 0, say 2^63 bytes or more, which "
     "numpy.load() refuses"},
    {WITH_SHAPE("(4294967296,4294967296)"), "2^63"},
    {WITH_SHAPE("(2 3)"), DIM("0", "2")},
    {WITH_SHAPE("(4, -2)"), DIM("1", "-2")},
    {WITH_SHAPE("(L,)"), DIM("0", "L")},
    {WITH_SHAPE("(99999999999999999999,)"), DIM("0", "99999999999999999999")},
    {WITH_SHAPE("(9223372036854775807,)"), DIM("0", "9223372036854775807")},
    {WITH_SHAPE("(" TEN TEN TEN "1,1,1)"),
     "the array's rank is 33 or more, but the limit is 32"},
};

/* ~ stands for a NUL. */
static void assert_malformed(const char *header, const char *part)
{
    size_t len;
    unsigned char *file = npy_file(1, header, 2, &len);
    struct npy_header npy;
    struct status st = {0};

    if (len < 14) /* less is no file at all */
        file[8] = 2;
    else
        len -= 2;
    for (size_t i = 10; i < len; i++)
        file[i] = file[i] == '~' ? '\0' : file[i];
    ck_assert(!read_header(file, len, &npy, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, part), "no \"%s\" in: %s", part,
                  st.message);
    free(file);
}

LOOP_TEST(malformed_header_is_named, COUNT(refused))
{
    assert_malformed(refused[_i][0], refused[_i][1]);
}

static const char *const no_types[] = {
    "<f0",    "u00",  "<float32", "Float32",  "float32 int8", "int8 byte",
    "float3", "<<f4", "!f4",      "bfloat16", "<f4,",         "g",
    "<f4x",   "<f16", "<f3",      "|O",       "xf4"};

LOOP_TEST(dtype_that_is_none_is_named, COUNT(no_types))
{
    char header[128], part[40];

    snprintf(header, sizeof(header), "{'descr': '%s', " NPY_REST, no_types[_i]);
    snprintf(part, sizeof(part), "dtype is '%s'", no_types[_i]);
    assert_malformed(header, part);
}

/* Python 2 wrote no file of version 3. */
UNIT_TEST(long_of_python_2_is_not_in_version_3)
{
    struct npy_header npy;
    struct status st;

    for (int version = 1; version <= 3; version++)
        ck_assert_int_eq(read_file(version, WITH_SHAPE("(3L,)"), &npy, &st),
                         version < 3);
}

/* What numpy.dtype() takes, and the type that it is: its str. */
static const struct {
    const char *str, *names; /* between blanks */
} descrs[] = {
    {"|b1", " |b1 b1 b01 <b1 >b1 ? |? bool bool_ "},
    {"|i1", " |i1 i1 i01 >i1 =i1 b <b >b int8 byte "},
    {"<i2", " <i2 i2 i02 =i2 |i2 h <h int16 short "},
    {">i2", " >i2 >h >i02 "},
    {"<i4", " <i4 i4 i =i int32 intc "},
    {">i4", " >i4 >i "},
    {"<i8", " <i8 i8 =i8 l q p n <l |q int64 int int_ intp long longlong "},
    {">i8", " >i8 >l >q "},
    {"|u1", " |u1 u1 <u1 >u1 B uint8 ubyte "},
    {"<u2", " <u2 u2 H uint16 ushort "},
    {">u2", " >u2 >H "},
    {"<u4", " <u4 u4 I uint32 uintc "},
    {">u4", " >u4 >I "},
    {"<u8", " <u8 u8 L Q P N =N uint64 uint uintp ulong ulonglong "},
    {">u8", " >u8 >L "},
    {"<f2", " <f2 f2 f002 e =e float16 half "},
    {">f2", " >f2 >e "},
    {"<f4", " <f4 f4 f004 f =f |f4 float32 single "},
    {">f4", " >f4 >f >f04 "},
    {"<f8", " <f8 f8 d float64 double float "},
    {">f8", " >f8 >d "},
    {"<c8", " <c8 c8 c08 F complex64 csingle "},
    {">c8", " >c8 >F "},
    {"<c16", " <c16 c16 D complex128 cdouble complex "},
    {">c16", " >c16 >D "},
};

/* The header that NumPy writes for an array of 2 x 3. */
static void expect_written(const struct npy_header *npy, const char *str)
{
    char out[HEADER_MOST], want[128];
    size_t len = npy_header_write(npy, out);

    ck_assert_uint_eq(len, 128);
    ck_assert_mem_eq(out, "\x93NUMPY\1\0v\0", 10);
    snprintf(want, sizeof(want), "{'descr': '%s', " NPY_REST "%*s", str,
             (int)(118 - strlen("{'descr': '', " NPY_REST) - strlen(str)),
             "\n");
    ck_assert_mem_eq(out + 10, want, 118);
}

LOOP_TEST(descr_is_what_numpy_takes, COUNT(descrs))
{
    char *names = strdup(descrs[_i].names), *rest = names, *name;

    while ((name = strsep(&rest, " "))) {
        char header[128];
        struct npy_header npy;
        struct status st;

        if (!*name)
            continue;
        snprintf(header, sizeof(header), "{'descr': '%s', " NPY_REST, name);
        ck_assert_msg(read_file(1, header, &npy, &st), "%s: %s", name,
                      st.message);
        ck_assert_int_eq(npy.big_endian, descrs[_i].str[0] == '>');
        expect_written(&npy, descrs[_i].str);
    }
    free(names);
}

/* Headers and what NumPy 2.4 writes for them. */
static const struct {
    const char *shape;
    int fortran;
    const char *text;
    size_t len;
} written[] = {
    {"()", 1, "False, 'shape': (), }", 128},
    {"(3,)", 1, "False, 'shape': (3,), }", 128},
    {"(1, 3)", 1, "False, 'shape': (1, 3), }", 128},
    {"(3, 1)", 1, "False, 'shape': (3, 1), }", 128},
    {"(1, 3, 1)", 1, "False, 'shape': (1, 3, 1), }", 128},
    {"(1, 1)", 1, "False, 'shape': (1, 1), }", 128},
    {"(2, 0)", 1, "False, 'shape': (2, 0), }", 128},
    {"(2, 3, 0)", 1, "False, 'shape': (2, 3, 0), }", 128},
    {"(0, 2, 3)", 1, "False, 'shape': (0, 2, 3), }", 128},
    {"(2, 3)", 0, "False, 'shape': (2, 3), }", 128},
    {"(2, 3)", 1, "True, 'shape': (2, 3), }", 128},
    {"(2, 1, 3)", 1, "True, 'shape': (2, 1, 3), }", 128},
    {"(" TEN TEN "1)", 0,
     "False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1, 1, 1), }",
     192},
    /* Up to the length from which 64 bytes more are written, and there. Digits
     * of the dim that may grow, the first or the last, do not count. */
    {"(1,10," TEN "1,1)", 0, "False, 'shape': (1, 10, " TEN_DIMS "1, 1), }",
     128},
    {"(100,1," TEN "1,10)", 0, "False, 'shape': (100, 1, " TEN_DIMS "1, 10), }",
     128},
    {"(1,10," TEN "1,10)", 0, "False, 'shape': (1, 10, " TEN_DIMS "1, 10), }",
     192},
    {"(10,1," TEN "10,100)", 1,
     "True, 'shape': (10, 1, " TEN_DIMS "10, 100), }", 128},
    {"(10,10," TEN "10,2)", 1, "True, 'shape': (10, 10, " TEN_DIMS "10, 2), }",
     192},
    {"(" TEN TEN TEN "1,9223372036854775807)", 0, NULL, 0},
};

LOOP_TEST(header_is_written_as_numpy_writes_it, COUNT(written))
{
    char header[512], out[HEADER_MOST + 1];
    struct npy_header npy;
    struct status st;
    size_t len;

    snprintf(header, sizeof(header),
             "{'shape':%s,'fortran_order':%s,'descr':'>i2'}", written[_i].shape,
             written[_i].fortran ? "True" : "False");
    ck_assert_int_eq(read_file(2, header, &npy, &st), written[_i].text != NULL);
    if (!written[_i].text)
        return;
    memset(out, '#', sizeof(out));
    len = npy_header_write(&npy, out);
    ck_assert_uint_eq(len, written[_i].len);
    ck_assert_int_eq(out[len], '#');
    ck_assert_int_eq(out[len - 1], '\n');
    out[len - 1] = '\0';
    ck_assert_uint_eq((unsigned char)out[8] + 10, len);
    snprintf(header, sizeof(header), "{'descr': '>i2', 'fortran_order': %s",
             written[_i].text);
    ck_assert_msg(strncmp(out + 10, header, strlen(header)) == 0, "%s",
                  out + 10);
    ck_assert_uint_eq(strspn(out + 10 + strlen(header), " "),
                      len - 11 - strlen(header));
}

UNIT_TEST(header_of_the_largest_shape_is_written)
{
    struct npy_header npy = {.dtype = DTYPE_COMPLEX128};
    char out[HEADER_MOST];

    npy.shape.rank = SHAPE_MAX_RANK;
    for (int i = 0; i < SHAPE_MAX_RANK; i++)
        npy.shape.dims[i] = INT64_MAX;
    ck_assert_uint_eq(npy_header_write(&npy, out), 768);
    ck_assert_mem_eq(out, "\x93NUMPY\1\0\xF6\2", 10); /* 758 are text */
}

UNIT_TEST(malformed_preamble_is_named)
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
    ck_assert_ptr_nonnull(strstr(st.message, "but numpy.load() reads at "
                                             "most 10000"));
    file[1] = 'X';
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "begin with 93 58, but an .npy"));
    free(file);
}

#define FILE_OF(text, part)                                                    \
    {                                                                          \
        text, sizeof(text) - 1, part                                           \
    }

static const struct {
    const char *body;
    size_t len;
    const char *part;
} foreign[] = {
    FILE_OF("{\"inputs\": []}", "is a JSON object: send it with Content-Type: "
                                "application/json"),
    FILE_OF("PK\3\4\x14\0\0\0", "a ZIP archive, such as an .npz file: send one "
                                "array as an .npy file"),
    FILE_OF("@x.npy", "the name of a file: send what is in it (curl: "
                      "--data-binary @FILE)"),
    FILE_OF("\x93NUMP", "the body has 5 bytes that begin with 93 4e"),
    FILE_OF("\x93NUMPY", "it ends inside its header"),
    FILE_OF("\x93NUMPY\1\0", "it ends inside its header"),
};

/* More are in document/test_foreign.c. */
LOOP_TEST(body_that_is_no_file_is_called_by_its_name, COUNT(foreign))
{
    struct npy_header npy;
    struct status st;

    ck_assert(!read_header(foreign[_i].body, foreign[_i].len, &npy, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, foreign[_i].part), "%s", st.message);
}
