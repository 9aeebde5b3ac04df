/* Server reflection, of v1 and v1alpha, whose messages are the same. */
#include <string.h>

#include "api/grpc/methods.h"

/* The fields of ServerReflectionRequest, */
enum {
    ASK_HOST = 1,
    ASK_FILE = 3,
    ASK_SYMBOL = 4,
    ASK_EXTENSION = 5,
    ASK_EXTENSIONS = 6,
    ASK_SERVICES = 7,
};

/* and of ServerReflectionResponse, with those of its parts. */
enum {
    GIVE_HOST = 1,
    GIVE_REQUEST = 2,
    GIVE_FILES = 4,
    GIVE_EXTENSIONS = 5,
    GIVE_SERVICES = 6,
    GIVE_ERROR = 7,

    FILES_FILE = 1,
    EXTENSIONS_TYPE = 1,
    SERVICES_SERVICE = 1,
    SERVICE_NAME = 1,
    ERROR_CODE = 1,
    ERROR_TEXT = 2,
};

static void write_error(struct writer *w, enum api_grpc_code code,
                        const char *text)
{
    size_t mark = protobuf_write_open(w, GIVE_ERROR);

    protobuf_write_number(w, ERROR_CODE, code);
    protobuf_write_text(w, ERROR_TEXT, text);
    protobuf_write_close(w, mark);
}

/* A file and those that it imports: a client needs them all. */
static void write_files(struct writer *w, int file)
{
    size_t mark = protobuf_write_open(w, GIVE_FILES);

    for (; file >= 0; file = grpc_files[file].imports)
        protobuf_write_bytes(w, FILES_FILE, grpc_files[file].data,
                             grpc_files[file].len);
    protobuf_write_close(w, mark);
}

static int find_file(const struct protobuf_field *name)
{
    for (int i = 0; grpc_files[i].name; i++)
        if (protobuf_text_is(name, grpc_files[i].name))
            return i;
    return -1;
}

static int find_symbol(const struct protobuf_field *name)
{
    for (int i = 0; grpc_symbols[i].name; i++)
        if (protobuf_text_is(name, grpc_symbols[i].name))
            return grpc_symbols[i].file;
    return -1;
}

static void write_services(struct writer *w)
{
    size_t list = protobuf_write_open(w, GIVE_SERVICES);

    for (int i = 0; grpc_services[i]; i++) {
        size_t service = protobuf_write_open(w, SERVICES_SERVICE);

        protobuf_write_text(w, SERVICE_NAME, grpc_services[i]);
        protobuf_write_close(w, service);
    }
    protobuf_write_close(w, list);
}

static void write_found(struct writer *w, int file, const char *what)
{
    if (file >= 0)
        write_files(w, file);
    else
        write_error(w, API_GRPC_NOT_FOUND, what);
}

/* No message here can be extended. */
static void write_extensions(struct writer *w,
                             const struct protobuf_field *type)
{
    size_t mark;

    if (find_symbol(type) < 0) {
        write_error(w, API_GRPC_NOT_FOUND, "no such type");
        return;
    }
    mark = protobuf_write_open(w, GIVE_EXTENSIONS);
    protobuf_write_bytes(w, EXTENSIONS_TYPE, type->data, type->len);
    protobuf_write_close(w, mark);
}

void grpc_reflect(const struct grpc_fields *fields, struct writer *w)
{
    enum { HOST, CHOICES }; /* indices of the fields */
    struct protobuf_field host = grpc_text(fields, ASK_HOST);
    int choice = grpc_choice(fields, CHOICES);
    uint32_t number = choice < 0 ? 0 : fields->last[choice].number;
    struct protobuf_field text = grpc_text(fields, number);

    protobuf_write_bytes(w, GIVE_HOST, host.data, host.len);
    protobuf_write_bytes(w, GIVE_REQUEST, fields->message, fields->len);
    switch (number) {
    case ASK_FILE:
        write_found(w, find_file(&text), "no such file");
        break;
    case ASK_SYMBOL:
        write_found(w, find_symbol(&text), "no such symbol");
        break;
    case ASK_EXTENSION:
        write_error(w, API_GRPC_NOT_FOUND, "no such extension");
        break;
    case ASK_EXTENSIONS:
        write_extensions(w, &text);
        break;
    case ASK_SERVICES:
        write_services(w);
        break;
    default:
        write_error(w, API_GRPC_INVALID_ARGUMENT, "the request asks nothing");
        break;
    }
}
