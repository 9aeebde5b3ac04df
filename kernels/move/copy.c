#include "kernels/move/copy.h"

#include "kernels/move/bits_ragged_rows.h"
#include "kernels/move/nontemporal.h"
#include "kernels/move/ragged_rows.h"
#include "kernels/move/run.h"
#include "kernels/move/tiny_planes.h"
#include "kernels/move/wc_buffer.h"

struct copy {
    struct move_walk walk;     /* first: move() casts back */
    const unsigned char *from; /* borrowed */
    unsigned char *to;         /* borrowed */
    const struct move_code *code;
    struct move_stage *stage; /* borrowed: past the caches, or NULL */

    /* Units that stay where they are, met and not yet copied: neighbouring
     * spans grow into one straight copy. */
    size_t still, still_count;
};

/* Rows that follow one another at the target. */
static bool stages(const struct copy *copy, const struct move_rows *rows)
{
    return copy->stage &&
           (rows->count == 1 || rows->a_step == (ptrdiff_t)rows->size);
}

static void move_now(struct copy *copy, const struct move_rows *rows)
{
    const struct move_bits *packing = &copy->walk.packing;

    if (packing->bits)
        move_bits_copy(copy->code, packing, copy->from, copy->to, rows);
    else if (stages(copy, rows))
        move_stage_copy(copy->stage, copy->from, copy->to, rows);
    else if (rows->planes == 1 ||
             !move_periods_copy(copy->code, copy->from, copy->to, rows))
        copy->code->copy(copy->from, copy->to, rows);
}

static void copy_still(struct copy *copy)
{
    struct move_rows rows = {
        .a = copy->still,
        .b = copy->still,
        .count = 1,
        .size = copy->still_count,
        .planes = 1,
    };

    if (copy->still_count > 0)
        move_now(copy, &rows);
    copy->still_count = 0;
}

/* Whether the rows lie close together and stay in their places. */
static bool stays(const struct move_rows *rows)
{
    return rows->a == rows->b && rows->planes == 1 &&
           (rows->count == 1 || (rows->a_step == rows->b_step &&
                                 rows->a_step == (ptrdiff_t)rows->size));
}

static void move(struct move_walk *walk, const struct move_rows *rows)
{
    struct copy *copy = (struct copy *)walk;

    if (!stays(rows)) {
        move_now(copy, rows);
        return;
    }
    /* A large one goes now, so that the flag is looked at in between. */
    if (rows->a != copy->still + copy->still_count ||
        copy->still_count >= CANCEL_STEP_BYTES) {
        copy_still(copy);
        copy->still = rows->a;
    }
    copy->still_count += rows->count * rows->size;
}

static bool columns(struct move_walk *walk, const struct move_columns *c)
{
    const struct copy *copy = (const struct copy *)walk;

    return move_columns(c, copy->from, copy->to, copy->stage != NULL,
                        &walk->pace);
}

static void sequences(struct move_walk *walk, size_t at,
                      const struct move_sequences *s)
{
    const struct copy *copy = (const struct copy *)walk;
    const struct move_bits *packing = &walk->packing;
    size_t byte = packing->bits ? at * packing->bits / 8 : at;

    if (packing->bits)
        move_bits_sequences_copy(copy->code, packing, copy->from + byte,
                                 copy->to + byte, s);
    else
        move_sequences_copy(copy->code, copy->from + byte, copy->to + byte, s);
}

/* Packed elements are written bit by bit around what is there already. */
static void clear_padding(const struct permutation *m, unsigned bits,
                          unsigned char *to)
{
    uint64_t per_byte = 8 / bits;
    uint64_t count = m->row * m->row_count;

    if (count % per_byte != 0)
        to[count / per_byte] = 0;
}

bool move_copy(const struct permutation *m, unsigned bits, bool high_first,
               const void *from, void *to, const atomic_bool *cancel)
{
    size_t total = m->row * m->row_count / 8 * bits;
    bool large = total >= MOVE_STREAM_BYTES;
    struct move_stage stage;
    struct copy copy = {
        .walk = {.pace = {.cancel = cancel}, .move = move, .columns = columns},
        .from = from,
        .to = to,
        .code = move_code_best(),
        .stage = large ? &stage : NULL,
    };
    bool done;

    if (large)
        move_stage_init(&stage, copy.code, total);
    else
        copy.walk.sequences = sequences;
    if (bits < 8)
        clear_padding(m, bits, to);
    done = move_walk_run(&copy.walk, m, bits, high_first);
    if (done)
        copy_still(&copy);
    if (large) {
        move_stage_flush(&stage);
        move_stream_end();
    }
    return done;
}
