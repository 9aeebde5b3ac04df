/* Reverses each sequence of a padded batch up to its length, in place, as the
 * backward half of a bidirectional network does.
 *
 * cc padded_batch.c $(pkg-config --cflags --libs libflip) */
#include <flip.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIME = 4, BATCH = 3 };

int main(void)
{
    /* Time-major: a column is a sequence, and 0 the padding behind it. */
    float batch[TIME][BATCH] = {{1, 5, 8}, {2, 6, 9}, {3, 7, 0}, {4, 0, 0}};
    const int32_t lengths[BATCH] = {4, 3, 2};
    const int64_t dims[] = {TIME, BATCH}, lens_dims[] = {BATCH};
    const struct flip_tensor input = {FLIP_FP32, 2, dims, NULL};
    const struct flip_tensor lens = {FLIP_INT32, 1, lens_dims, lengths};
    char error[FLIP_ERROR_SIZE];
    struct flip *flip = flip_reverse_sequence(&input, &lens, 1, 0, error);

    if (!flip) {
        fprintf(stderr, "%s\n", error);
        return EXIT_FAILURE;
    }
    flip_in_place(flip, batch, NULL);
    flip_free(flip);
    for (int t = 0; t < TIME; t++)
        printf("%g %g %g\n", (double)batch[t][0], (double)batch[t][1],
               (double)batch[t][2]);
    return EXIT_SUCCESS;
}
