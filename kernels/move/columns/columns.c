#include "kernels/move/columns/columns.h"

#include "kernels/move/columns/column_shift.h"
#include "kernels/move/columns/panel.h"
#include "kernels/move/columns/row_strip.h"
#include "kernels/simd/nontemporal.h"

enum {
    LINE = 64,
    /* Bytes that are moved between two tests of the cancel flag, or a row. */
    PIECE = 256 << 10,
    /* Columns of this many bytes exceed the second level cache. Measured:
     * smaller ones are best moved without scratch memory and prefetches. */
    FAR = 8 << 20,
    /* Bytes of a row that are prefetched at a time. */
    PREFETCH_BYTES = 4096,
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_far(const struct columns_job *job)
{
    return job->nontemporal || columns_job_bytes(job) >= FAR;
}

static size_t rows_of_piece(const struct columns_job *job)
{
    size_t width = job->count * job->size;

    return width < PIECE ? PIECE / width : 1;
}

static bool copy(const struct columns_job *job)
{
    struct ragged_columns piece = columns_job_row(job);
    size_t most = rows_of_piece(job);

    piece.far = is_far(job);
    for (; piece.row < job->time; piece.row += most) {
        piece.rows = least(most, job->time - piece.row);
        if (!cancel_step(job->cancel, piece.rows * job->count * job->size))
            return false;
        job->kernels->columns.copy(job->from, job->to + piece.row * job->step,
                                   &piece);
    }
    return true;
}

/* Prefetches the partners of a row's entries: no hardware prefetcher predicts
 * where they are. */
static void prefetch_partners(const struct columns_job *job,
                              const struct ragged_columns *piece)
{
    for (size_t i = 0; i < piece->count; i++) {
        size_t len = (size_t)piece->lens[i];
        size_t partner = piece->row < len ? len - 1 - piece->row : piece->row;
        const unsigned char *entry =
            job->to + partner * piece->from_step +
            (size_t)(piece->lens + i - job->lens) * piece->size;

        for (size_t at = 0; at < piece->size; at += LINE)
            __builtin_prefetch(entry + at);
        __builtin_prefetch(entry + piece->size - 1);
    }
}

/* Swaps a row in parts. The next part is prefetched before one is swapped. */
static void swap_far_row(const struct columns_job *job, size_t row)
{
    struct ragged_columns part = columns_job_row(job), next = part;
    size_t most = job->size < PREFETCH_BYTES ? PREFETCH_BYTES / job->size : 1;

    next.row = row;
    next.count = 0;
    for (size_t done = 0; done < job->count; done += part.count) {
        part = next;
        next.lens = job->lens + done + part.count;
        next.count = least(most, job->count - done - part.count);
        prefetch_partners(job, &next);
        job->kernels->columns.swap(job->to + done * job->size, &part);
    }
}

static bool swap(const struct columns_job *job)
{
    struct ragged_columns piece = columns_job_row(job);
    size_t rows = columns_job_longest(job) / 2;
    bool far = is_far(job);
    size_t most = far ? 1 : rows_of_piece(job);

    for (; piece.row < rows; piece.row += most) {
        piece.rows = least(most, rows - piece.row);
        if (!cancel_step(job->cancel, piece.rows * job->count * job->size))
            return false;
        if (far)
            swap_far_row(job, piece.row);
        else
            job->kernels->columns.swap(job->to, &piece);
    }
    return true;
}

static bool move_rows(const struct columns_job *job)
{
    bool moved = false, done;

    if (columns_job_bytes(job) >= FAR && row_strip_fits(job)) {
        done = row_strip_move(job, &moved);
        if (moved)
            return done;
    }
    return columns_job_in_place(job) ? swap(job) : copy(job);
}

bool columns_move(const struct columns_job *job)
{
    bool moved = false, done;

    if (column_shift_fits(job))
        return column_shift_move(job);
    if (panel_fits(job)) {
        done = panel_move(job, &moved);
        if (moved)
            return done;
    }
    done = move_rows(job);
    if (is_far(job))
        nontemporal_fence();
    return done;
}
