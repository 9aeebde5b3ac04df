/* Feeds a fuzz target every file of the folders it is given, with any compiler:
 * the kept corpus as a test. Usage: replay_<name> FOLDER... */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/heap_in_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes of a file in a block of just that size, so that a sanitizer sees
 * reads past the end. NULL when it cannot be read; the caller frees. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0) {
        *size = (size_t)end;
        bytes = malloc(*size ? *size : 1);
        rewind(file);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

/* Runs the input until caches are warm, then twice at a time: a leak leaves
 * something on the heap each time. A heap that is still finding its layout
 * does so a few times. Only without malloc()'s caches of free blocks is the
 * measure exact: GLIBC_TUNABLES=glibc.malloc.tcache_count=0. */
static bool leaves_nothing(const uint8_t *bytes, size_t size)
{
    enum { RUNS = 2, ROUNDS = 40 };
    size_t before = 0, after = 1;

    for (int i = 0; i < RUNS; i++)
        LLVMFuzzerTestOneInput(bytes, size);
    for (int round = 0; round < ROUNDS && after > before; round++) {
        before = heap_in_use();
        for (int i = 0; i < RUNS; i++)
            LLVMFuzzerTestOneInput(bytes, size);
        after = heap_in_use();
    }
    return after <= before;
}

static bool replay_file(const char *path)
{
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    bool clean;

    if (!bytes) {
        fprintf(stderr, "replay: %s cannot be read\n", path);
        return false;
    }
    clean = leaves_nothing(bytes, size);
    if (!clean)
        fprintf(stderr, "replay: %s leaves memory behind\n", path);
    free(bytes);
    return clean;
}

/* Adds the number of files to `count`. */
static bool replay_folder(const char *folder, int *count)
{
    struct dirent **entries = NULL;
    int entry_count = scandir(folder, &entries, NULL, alphasort);
    bool ok = entry_count >= 0;
    char path[4096];

    for (int i = 0; i < entry_count; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            ok = replay_file(path) && ok;
            ++*count;
        }
        free(entries[i]);
    }
    free(entries);
    return ok;
}

int main(int argc, char **argv)
{
    bool ok = true;
    int count = 0;

    for (int i = 1; i < argc; i++)
        ok = replay_folder(argv[i], &count) && ok;
    printf("%d inputs replayed\n", count);
    return ok && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
