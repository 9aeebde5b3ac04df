/* openvino.Reverse: for data of RANK axes, any dims, mode, and
 * axis tensor of any datatype, rank 0 to 2 and up to MOST_ENTRIES entries:
 * valid arguments flip exactly the axes of the definition, any other is
 * INVALID. */
#include "tests/proofs/ops/describe.h"

#include "kernels/ops/permutation.c"
#include "kernels/ops/reverse.c"

int main(void)
{
    struct attribute_value values[1] = {{.given = nondet_bool()}};
    struct op_call call = {.attributes = values};
    const struct shape *shape = &call.control.shape;
    char text[7];
    struct permutation p;
    struct status st = {0};
    bool is_index, is_mask, valid, done, named[RANK + 1] = {false};

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)nondet_byte();
    text[sizeof(text) - 1] = '\0';
    if (nondet_bool())
        values[MODE].text = text;
    is_index = text[0] == 'i' && text[1] == 'n' && text[2] == 'd' &&
               text[3] == 'e' && text[4] == 'x' && !text[5];
    is_mask = text[0] == 'm' && text[1] == 'a' && text[2] == 's' &&
              text[3] == 'k' && !text[4];
    call.data.name = "data";
    any_shape(&call.data.shape, &p);
    any_control(&call.control);

    enum dtype_kind kind = dtype_info(call.control.dtype)->kind;
    bool integer = (kind == DTYPE_KIND_INT || kind == DTYPE_KIND_UINT) &&
                   dtype_info(call.control.dtype)->bits >= 8;
    bool is_row =
        shape->rank == 1 ||
        (shape->rank == 2 && shape->dims[0] != 1 && shape->dims[1] == 1);

    valid = values[MODE].given && values[MODE].text && (is_index || is_mask) &&
            is_row && (is_mask ? kind == DTYPE_KIND_BOOL : integer) &&
            (!is_mask || shape->dims[0] == call.data.shape.rank);
    for (int i = 0; valid && i < shape->dims[0]; i++) {
        int64_t axis = i, rank = call.data.shape.rank;

        if (is_mask) {
            valid = call.control.data[i] <= 1;
            if (valid && call.control.data[i])
                named[i] = true;
            continue;
        }
        axis = integers[i];
        valid = readable[i] && axis >= -rank && axis < rank;
        if (valid)
            named[axis < 0 ? axis + rank : axis] = true;
    }
    done = describe(&op_openvino_reverse, &call, &p, &st);
    CHECK(done == valid);
    CHECK(done || st.code == STATUS_INVALID);
    CHECK(!p.lens && p.batch_axis == -1);
    for (int i = 0; done && i < call.data.shape.rank; i++) {
        const struct permutation_axis *axis =
            &p.axes[p.is_mirrored ? p.rank - 1 - i : i];

        CHECK(axis->extent == (uint64_t)call.data.shape.dims[i]);
        CHECK(named[i]
                  ? axis->map == PERMUTATION_FLIP && axis->flips == axis->extent
                  : axis->map == PERMUTATION_KEEP);
    }
    free((void *)call.control.data);
    REACHED();
}
