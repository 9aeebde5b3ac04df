/* tensor_bytes() of any datatype and count, and tensor_integer() of any bytes.
 */
#include "kernels/core/tensor.h"
#include "tests/proofs/texts.h"

enum { ENTRIES = 2 };

/* Integer `index` of a tensor, read another way: bit by bit. False
 * where it is past int64. */
static bool tensor_integer_at(const struct tensor *tensor, size_t index,
                              int64_t *value)
{
    unsigned bytes = dtype_info(tensor->dtype)->bits / 8;
    bool is_signed = dtype_info(tensor->dtype)->kind == DTYPE_KIND_INT;
    uint64_t bits = 0;

    for (unsigned i = 0; i < bytes; i++)
        bits |= (uint64_t)tensor->data[index * bytes + i] << 8 * i;
    if (is_signed && bytes < 8 && bits >> (8 * bytes - 1))
        bits -= (uint64_t)1 << 8 * bytes;
    *value = (int64_t)bits;
    return is_signed || *value >= 0;
}

/* The number that a double is, by its bits. False where it is no integer of 64
 * bits. */
static bool whole(double number, int64_t *value)
{
    uint64_t bits, magnitude;
    int exponent;

    memcpy(&bits, &number, sizeof(bits));
    exponent = (int)(bits >> 52 & 0x7FF) - 1023;
    magnitude = (bits & 0xFFFFFFFFFFFFF) | (uint64_t)1 << 52;
    if (bits << 1 == 0)
        magnitude = 0;
    else if (exponent < 0 || exponent > 63)
        return false;
    else if (exponent < 52 &&
             magnitude & (((uint64_t)1 << (52 - exponent)) - 1))
        return false;
    else
        magnitude = exponent < 52 ? magnitude >> (52 - exponent)
                                  : magnitude << (exponent - 52);
    if (magnitude > (uint64_t)1 << 63 ||
        (magnitude == (uint64_t)1 << 63 && !(bits >> 63)))
        return false;
    *value = bits >> 63 ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

static bool number_at(const struct tensor *t, size_t index, int64_t *value)
{
    uint16_t half;
    float single;
    double number;

    switch (t->dtype) {
    case DTYPE_FP16:
        memcpy(&half, t->data + 2 * index, sizeof(half));
        return whole(half_fp16_to_float(half), value);
    case DTYPE_BF16:
        memcpy(&half, t->data + 2 * index, sizeof(half));
        return whole(half_bf16_to_float(half), value);
    case DTYPE_FP32:
        memcpy(&single, t->data + 4 * index, sizeof(single));
        return whole(single, value);
    case DTYPE_FP64:
        memcpy(&number, t->data + 8 * index, sizeof(number));
        return whole(number, value);
    default:
        return tensor_integer_at(t, index, value);
    }
}

static void check_bytes(void)
{
    enum dtype dtype = (enum dtype)any_below(DTYPE_COUNT);
    uint64_t count = nondet_size();
    unsigned bits = dtype_info(dtype)->bits;
    unsigned __int128 wanted = (((unsigned __int128)count * bits) + 7) / 8;
    struct status st = {0};
    size_t bytes;
    bool done;

    ASSUME(dtype != DTYPE_BYTES);
    done = tensor_bytes(dtype, count, "", &bytes, &st);
    CHECK(done == (wanted <= SIZE_MAX / 2));
    CHECK(done ? bytes == wanted : st.code == STATUS_INVALID);
}

static void check_integer(void)
{
    struct tensor t = {.name = "t"};
    size_t index = any_below(ENTRIES);
    int64_t value, wanted;
    struct status st = {0};
    bool valid, done;

    t.dtype = (enum dtype)any_below(DTYPE_COUNT);
    t.data = malloc(ENTRIES * 8); /* any contents */
    ASSUME(t.data);
    enum dtype_kind kind = dtype_info(t.dtype)->kind;

    ASSUME(kind == DTYPE_KIND_INT || kind == DTYPE_KIND_UINT ||
           kind == DTYPE_KIND_FLOAT);
    ASSUME(dtype_info(t.dtype)->bits >= 8);
    valid = number_at(&t, index, &wanted);
    done = tensor_integer(&t, index, &value, &st);
    CHECK(done == valid);
    CHECK(done ? value == wanted : st.code == STATUS_INVALID);
    CHECK(read_back == printed); /* a number in the text of an error */
}

int main(void)
{
    check_bytes();
    check_integer();
    REACHED();
}
