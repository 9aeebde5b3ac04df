#include "tests/api/wire/npy_file.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

unsigned char *npy_file(int version, const char *header, size_t data,
                        size_t *len)
{
    size_t size = strlen(header), start = version == 1 ? 10 : 12;
    unsigned char *file = calloc(1, start + size + data);

    ck_assert_ptr_nonnull(file);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[8] = (unsigned char)size;
    file[9] = (unsigned char)(size >> 8);
    memcpy(file + start, header, size);
    *len = start + size + data;
    return file;
}
