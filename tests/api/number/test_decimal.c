/* Decimals whose nearest double is the midpoint of two values of FP16: their
 * digits are compared, wherever the point stands. */
#include <string.h>

#include "tests/api/number/formats.h"
#include "tests/unit.h"

#define ZEROS "000000000000000000000000000000000000"
#define NINES "999999999999999999999999999999999999"

enum { ONE_UP = 0x3C01, HALF = 0x3800, EVEN = 0x6800, ODD = 0x6801 };

static const struct {
    const char *text;
    unsigned bits;
} decimals[] = {
    /* 2049 is between 2048 and 2050, which is odd. */
    {"2049", EVEN},
    {"2049.000", EVEN},
    {"20490e-1", EVEN},
    {"002049", EVEN},
    {"0.002049e6", EVEN},
    {"0.02049E+0000005", EVEN},
    {"-2049", EVEN | 0x8000},
    {"2049." ZEROS "1", ODD},
    {"2049" ZEROS "1e-37", ODD},
    {"0.000002049" ZEROS "1e9", ODD},
    {"-204.9" ZEROS "1e1", ODD | 0x8000},
    {"2048." NINES, EVEN},
    {"2048" NINES "e-36", EVEN},
    {"0.0002048" NINES "e7", EVEN},
    /* 2051 is between 2050 and 2052, which is even. */
    {"2051", ODD + 1},
    {"2050." NINES, ODD},
    {"2051." ZEROS "1", ODD + 1},
    {"0.2050" NINES "e4", ODD},
    /* Where the first digit has another power of ten: the midpoint above 1 is
     * 1.00048828125, that below 1 is 0.999755859375. */
    {"1.00048828125", 0x3C00},
    {"1.00048828125" ZEROS "1", ONE_UP},
    {"1.00048828124" NINES, 0x3C00},
    {"0.999755859375", 0x3C00},
    {"0.999755859374" NINES, 0x3BFF},
    {"0.999755859375" ZEROS "1", 0x3C00},
    {"0.50000000000000000000000000000000001", HALF},
    {"0.49999999999999999999999999999999999", HALF},
    /* The least value's half. */
    {"2.98023223876953125e-8", 0},
    {"2.980232238769531250000000000000000000000001e-8", 1},
    {"2.98023223876953124999999999999999999999999e-8", 0},
    {"298023223876953125" ZEROS "1e-62", 1},
};

LOOP_TEST(decimal_at_a_midpoint_rounds_by_its_digits, COUNT(decimals))
{
    const char *text = decimals[_i].text;
    uint16_t bits;

    ck_assert(number_parse_half(text, strlen(text), &bits));
    ck_assert_msg(bits == decimals[_i].bits, "%s reads as %04x", text, bits);
}

/* An exponent of any length is far outside of any format. */
UNIT_TEST(decimal_exponent_of_many_digits_does_not_overflow)
{
    static const char large[] = "1e99999999999999999999999999";
    static const char small[] = "1e-99999999999999999999999999";
    uint16_t bits = 1;

    ck_assert(!number_parse_half(large, sizeof(large) - 1, &bits));
    ck_assert(number_parse_half(small, sizeof(small) - 1, &bits));
    ck_assert_uint_eq(bits, 0);
}
