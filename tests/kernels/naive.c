#include "tests/kernels/naive.h"

#include <stdlib.h>
#include <string.h>

bool naive_keeps_all(const struct permutation *p)
{
    for (int i = 0; i < p->rank; i++)
        if (p->axes[i].map != PERMUTATION_KEEP)
            return false;
    return true;
}

const struct element_format naive_formats[NAIVE_FORMATS] = {
    {1, false}, {1, true},   {2, false},  {2, true},   {4, false},   {4, true},
    {8, false}, {16, false}, {32, false}, {64, false}, {128, false},
};

uint64_t naive_count(const struct naive *n)
{
    uint64_t count = 1;

    for (int i = 0; i < n->shape.rank; i++)
        count *= (uint64_t)n->shape.dims[i];
    return count;
}

/* The coordinate that entry `at` of an axis comes from. */
static int64_t mapped(const struct naive *n, int axis, const int64_t *at)
{
    int64_t len;

    switch (n->maps[axis]) {
    case PERMUTATION_KEEP:
        return at[axis];
    case PERMUTATION_FLIP:
        return n->shape.dims[axis] - 1 - at[axis];
    case PERMUTATION_FLIP_LENS:
        len = n->lens[at[n->batch_axis]];
        return at[axis] < len ? len - 1 - at[axis] : at[axis];
    }
    abort();
}

uint64_t naive_source(const struct naive *n, uint64_t index)
{
    int64_t at[SHAPE_MAX_RANK];
    uint64_t source = 0;

    for (int i = n->shape.rank - 1; i >= 0; i--) {
        at[i] = (int64_t)(index % (uint64_t)n->shape.dims[i]);
        index /= (uint64_t)n->shape.dims[i];
    }
    for (int i = 0; i < n->shape.rank; i++)
        source =
            source * (uint64_t)n->shape.dims[i] + (uint64_t)mapped(n, i, at);
    return source;
}

void naive_permutation(const struct naive *n, struct permutation *p)
{
    permutation_init(p, &n->shape, false);
    for (int i = 0; i < n->shape.rank; i++) {
        if (n->maps[i] == PERMUTATION_FLIP) {
            permutation_flip(p, i);
        } else if (n->maps[i] == PERMUTATION_FLIP_LENS) {
            size_t batch = (size_t)n->shape.dims[n->batch_axis];
            int64_t *lens = malloc((batch + 1) * sizeof(*lens));

            memcpy(lens, n->lens, batch * sizeof(*lens));
            permutation_flip_lens(p, i, n->batch_axis, lens);
        }
    }
    permutation_collapse(p);
}

size_t naive_bytes(const struct element_format *f, uint64_t count)
{
    return (size_t)((count * f->bits + 7) / 8);
}

/* Where in its byte packed element `index` starts. */
static unsigned shift_of(const struct element_format *f, uint64_t index)
{
    unsigned per_byte = 8 / f->bits;
    unsigned slot = (unsigned)(index % per_byte);

    return (f->high_first ? per_byte - 1 - slot : slot) * f->bits;
}

void naive_copy_element(const struct element_format *f, const unsigned char *in,
                        uint64_t from, unsigned char *out, uint64_t to)
{
    size_t size = f->bits / 8;
    unsigned mask = (1u << f->bits % 8) - 1;
    unsigned char *byte = out + to * f->bits / 8;
    unsigned value = in[from * f->bits / 8];

    if (size) {
        memcpy(byte, in + from * size, size);
        return;
    }
    value = value >> shift_of(f, from) & mask;
    *byte = (unsigned char)((*byte & ~(mask << shift_of(f, to))) |
                            value << shift_of(f, to));
}

/* splitmix64. */
uint64_t naive_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint64_t naive_below(uint64_t *state, uint64_t limit)
{
    return naive_random(state) % limit;
}

void naive_fill(uint64_t *state, unsigned char *data, size_t size)
{
    uint64_t word;

    for (; size > sizeof(word); data += sizeof(word), size -= sizeof(word)) {
        word = naive_random(state);
        memcpy(data, &word, sizeof(word));
    }
    word = naive_random(state);
    memcpy(data, &word, size);
}

static void random_shape(uint64_t *state, struct shape *shape)
{
    uint64_t room = 1 + naive_below(state, 4096);

    shape->rank = (int)naive_below(state, 7);
    for (int i = 0; i < shape->rank; i++) {
        uint64_t most = naive_below(state, 4) ? 6 : 70;
        uint64_t dim = naive_below(state, most < room ? most + 1 : room + 1);

        /* An empty tensor now and then, not most of the time. */
        if (dim == 0 && naive_below(state, 8))
            dim = 1;
        shape->dims[i] = (int64_t)dim;
        if (dim)
            room /= dim;
    }
}

static void random_lens(uint64_t *state, struct naive *n, int time)
{
    uint64_t style = naive_below(state, 6);
    uint64_t extent = (uint64_t)n->shape.dims[time];
    uint64_t equal = naive_below(state, extent + 1);

    for (int64_t b = 0; b < n->shape.dims[n->batch_axis]; b++) {
        uint64_t any = naive_below(state, extent + 1);
        uint64_t small = any < 2 ? any : 0;
        uint64_t lens[] = {any, any, small, extent, equal, any & 1};

        n->lens[b] = (int64_t)(lens[style] < extent ? lens[style] : extent);
    }
}

/* Any mixture of flips; in half of the cases lengths, if the rank allows
 * them. */
static void random_maps(uint64_t *state, struct naive *n)
{
    int time, batch;

    n->batch_axis = -1;
    for (int i = 0; i < n->shape.rank; i++)
        n->maps[i] =
            naive_below(state, 3) ? PERMUTATION_KEEP : PERMUTATION_FLIP;
    if (n->shape.rank < 2 || naive_below(state, 2))
        return;
    time = (int)naive_below(state, (uint64_t)n->shape.rank);
    batch = (int)naive_below(state, (uint64_t)n->shape.rank - 1);
    batch += batch >= time;
    if (n->shape.dims[batch] > NAIVE_MAX_BATCH)
        return;
    n->batch_axis = batch;
    n->maps[time] = PERMUTATION_FLIP_LENS;
    n->maps[batch] = PERMUTATION_KEEP;
    random_lens(state, n, time);
}

void naive_random_case(uint64_t *state, struct naive *n)
{
    random_shape(state, &n->shape);
    random_maps(state, n);
}

/* As many bits as any other, and 1 to `most`. */
static uint64_t random_dim(uint64_t *state, uint64_t most)
{
    unsigned bits = 0;
    uint64_t dim;

    while (most >> bits > 1)
        bits++;
    dim = naive_random(state) >> (63 - naive_below(state, bits + 1));
    return dim < 1 ? 1 : dim > most ? most : dim;
}

/* In random order, because the first dim may use up most of `most`. */
void naive_random_large(uint64_t *state, uint64_t most, struct naive *n)
{
    int rank = 2 + (int)naive_below(state, 3);
    int first = (int)naive_below(state, (uint64_t)rank);

    n->shape.rank = rank;
    for (int i = 0; i < rank; i++) {
        int axis = (first + i) % rank;

        n->shape.dims[axis] = (int64_t)random_dim(state, most);
        most /= (uint64_t)n->shape.dims[axis];
    }
    random_maps(state, n);
}
