#include "server/tls/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct tls_library openssl;

/* clang-format off */
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
/* clang-format on */
static const char file[] = "libssl.so." TEXT_OF(OPENSSL_SHLIB_VERSION);

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define ROW(name) {#name, offsetof(struct tls_library, name)},
    TLS_FUNCTIONS(ROW)
#undef ROW
};

static bool find(void *library, const char *name, size_t offset)
{
    void *function = dlsym(library, name);

    /* ISO C has no conversion to a pointer to a function; POSIX does. */
    memcpy((char *)&openssl + offset, &function, sizeof(function));
    return function != NULL;
}

bool tls_library_load(struct status *st)
{
    void *library;

    if (openssl.SSL_new)
        return true;
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "TLS needs OpenSSL's %s: %s", file, dlerror());
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!find(library, functions[i].name, functions[i].offset))
            return status_fail(st, STATUS_NOT_SUPPORTED, "%s has no %s", file,
                               functions[i].name);
    return true;
}

const char *tls_library_fault(void)
{
    unsigned long error = openssl.ERR_peek_error();
    const char *text = openssl.ERR_reason_error_string(error);

    return ERR_SYSTEM_ERROR(error) ? strerror(ERR_GET_REASON(error))
           : text                  ? text
                                   : "unknown";
}
