/* The operators of the ReverseSequence family, OP, of which some take ANY axes
 * and lengths of any number type, and one is a GRADIENT: for data of RANK axes,
 * any dims, axes and datatypes, and lengths of rank 0 to 2 with up to
 * MOST_ENTRIES entries: valid arguments mark exactly the axes of the
 * definition with exactly the lengths, any other is INVALID, and no length is
 * kept then. */
#include "tests/proofs/ops/describe.h"

#include "kernels/ops/permutation.c"
#include "kernels/ops/reverse_sequence.c"

int main(void)
{
    struct attribute_value values[OP_MAX_ATTRIBUTES] = {{0}};
    struct op_call call = {.attributes = values};
    const struct shape *lens = &call.control.shape;
    char text[3] = {(char)nondet_byte(), (char)nondet_byte()};
    struct permutation p;
    struct status st = {0};
    bool valid, is_shaped, done;

    values[BATCH].integer = nondet_int64();
    values[TIME].integer = nondet_int64();
    values[BATCH].text = nondet_bool() ? text : NULL;
    call.data.name = "data";
    call.data.dtype = (enum dtype)any_below(DTYPE_COUNT);
    any_shape(&call.data.shape, &p);
    any_control(&call.control);

    enum dtype_kind kind = dtype_info(call.control.dtype)->kind;
    int64_t rank = call.data.shape.rank, batch = values[BATCH].integer,
            time = values[TIME].integer;

    valid = rank >= 2 && (!GRADIENT || dtype_is_scalable(call.data.dtype));
    if (ANY) {
        valid = valid && batch >= -rank && batch < rank && time >= -rank &&
                time < rank;
        batch += batch < 0 ? rank : 0;
        time += time < 0 ? rank : 0;
        valid = valid &&
                (kind == DTYPE_KIND_INT || kind == DTYPE_KIND_UINT ||
                 kind == DTYPE_KIND_FLOAT) &&
                dtype_info(call.control.dtype)->bits >= 8;
    } else {
        valid = valid && batch >= 0 && batch <= 1 && time >= 0 && time <= 1 &&
                call.control.dtype == DTYPE_INT64;
    }
    valid = valid && batch != time &&
            (lens->rank == 1 || (lens->rank == 2 && lens->dims[1] == 1)) &&
            lens->dims[0] == call.data.shape.dims[batch];
    is_shaped = valid;
    for (int i = 0; valid && i < lens->dims[0]; i++)
        valid = readable[i] && integers[i] >= 0 &&
                integers[i] <= call.data.shape.dims[time];
    done = describe(&OP, &call, &p, &st);
    CHECK(done                          ? valid
          : st.code == STATUS_NO_MEMORY ? is_shaped
                                        : !valid && st.code == STATUS_INVALID);
    CHECK(done || !p.lens);
    CHECK(p.lens || p.row_count == 0 || !done);
    for (int i = 0; done && i < rank; i++) {
        const struct permutation_axis *axis =
            &p.axes[p.is_mirrored ? p.rank - 1 - i : i];

        CHECK(axis->extent == (uint64_t)call.data.shape.dims[i]);
        CHECK(axis->map ==
              (i == time && p.lens ? PERMUTATION_FLIP_LENS : PERMUTATION_KEEP));
    }
    CHECK(!p.lens ||
          p.batch_axis == (p.is_mirrored ? rank - 1 - batch : batch));
    for (int i = 0; p.lens && i < lens->dims[0]; i++)
        CHECK(p.lens[i] == integers[i]);
    permutation_free(&p);
    free((void *)call.control.data);
    REACHED();
}
