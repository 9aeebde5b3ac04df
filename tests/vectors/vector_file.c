#include "tests/vectors/vector_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const char *id)
{
    fprintf(stderr, "vectors: %s: %s\n", id, what);
    exit(2);
}

static char *read_whole(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;

    /* No file of vectors holds a NUL: all of it is one "line". */
    if (!in || getdelim(&text, &room, '\0', in) <= 0)
        die("cannot be read", path);
    fclose(in);
    return text;
}

/* Length of the JSON value at `text`. */
static size_t value_length(const char *text)
{
    bool quoted = false;
    size_t i = 0;
    int depth = 0;

    for (;; i++) {
        if (quoted) {
            if (text[i] == '\\')
                i++;
            else
                quoted = text[i] != '"';
            if (!quoted && depth == 0)
                return i + 1;
            continue;
        }
        quoted = text[i] == '"';
        depth += text[i] == '[';
        depth -= text[i] == ']';
        if (text[i] == ']' && depth == 0)
            return i + 1;
        if (depth == 0 && strchr(",}", text[i]))
            return i;
    }
}

/* The value of `key` in the object on this line; no text for null or none. */
static struct vector_text field(const char *line, const char *key)
{
    struct vector_text value = {NULL, 0};
    const char *end = strchr(line, '\n');
    const char *at;
    char quoted[40];

    snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
    at = strstr(line, quoted);
    if (!at || at > end)
        return value;
    value.text = at + strlen(quoted);
    value.len = value_length(value.text);
    if (strncmp(value.text, "null", 4) == 0)
        value = (struct vector_text){NULL, 0};
    return value;
}

static void read_string(const char *line, const char *key, char *out,
                        size_t size)
{
    struct vector_text value = field(line, key);

    *out = '\0';
    if (!value.text)
        return;
    if (value.len < 2 || value.len - 2 >= size)
        die("a string is too long", key);
    memcpy(out, value.text + 1, value.len - 2);
    out[value.len - 2] = '\0';
}

static void read_shape(struct vector_text value, struct shape *shape)
{
    const char *at = value.text + 1;
    char *end;

    shape->rank = 0;
    while (shape->rank < SHAPE_MAX_RANK) {
        long long dim = strtoll(at, &end, 10);

        if (end == at)
            break;
        shape->dims[shape->rank++] = dim;
        at = end + strspn(end, ", ");
    }
}

static void read_dtype(const char *line, const char *key, const char *fallback,
                       enum dtype *dtype)
{
    char name[32];

    read_string(line, key, name, sizeof(name));
    if (!*name)
        snprintf(name, sizeof(name), "%s", fallback);
    if (!dtype_parse(name, strlen(name), dtype))
        die("unknown datatype", name);
}

static int64_t count_entries(struct vector_text list)
{
    int64_t count = 0;

    if (list.len <= 2)
        return 0;
    for (size_t i = 0; i < list.len; i++)
        count += list.text[i] == ',';
    return count + 1;
}

static void read_control(const char *line, struct vector *v)
{
    bool lens = field(line, "sequence_lens").text != NULL;
    struct vector_text shape = field(line, lens ? "lens_shape" : "axes_shape");

    v->control = field(line, lens ? "sequence_lens" : "axes");
    v->control_shape.rank = 1;
    v->control_shape.dims[0] = count_entries(v->control);
    if (shape.text)
        read_shape(shape, &v->control_shape);
    read_dtype(line, lens ? "lens_datatype" : "axes_datatype",
               strcmp(v->mode, "mask") == 0 ? "BOOL" : "INT64",
               &v->control_dtype);
}

static void read_op(const char *line, struct vector *v)
{
    char op[64];

    read_string(line, "op", op, sizeof(op));
    v->backward = strcmp(op, "graiphic.ReverseSequence.backward") == 0;
    snprintf(v->op, sizeof(v->op), "%s",
             v->backward ? "graiphic.ReverseSequenceGrad" : op);
}

static void read_vector(const char *line, struct vector *v)
{
    read_string(line, "id", v->id, sizeof(v->id));
    read_string(line, "mode", v->mode, sizeof(v->mode));
    read_op(line, v);
    read_dtype(line, "datatype", "", &v->dtype);
    read_shape(field(line, "shape"), &v->shape);
    v->data = field(line, v->backward ? "grad_output" : "data");
    v->expect = field(line, "expect");
    read_string(line, "data_hex", v->data_hex, sizeof(v->data_hex));
    read_string(line, "expect_hex", v->expect_hex, sizeof(v->expect_hex));
    read_control(line, v);
    v->batch_axis = field(line, "batch_axis");
    v->time_axis = field(line, "time_axis");
    v->lda_coeff = field(line, "lda_coeff");
    if (!v->data.text && !*v->data_hex)
        die("has no data", v->id);
}

void vector_file_read(const char *path, struct vector_file *file)
{
    const char *line;

    file->text = read_whole(path);
    file->count = 0;
    for (line = file->text; (line = strstr(line, "\n{")) != NULL; line++)
        file->count++;
    file->vectors = calloc((size_t)file->count + 1, sizeof(*file->vectors));
    if (!file->vectors || file->count == 0)
        die("has no vectors", path);
    file->count = 0;
    for (line = file->text; (line = strstr(line, "\n{")) != NULL; line++)
        read_vector(line + 1, &file->vectors[file->count++]);
}

void vector_file_free(struct vector_file *file)
{
    free(file->vectors);
    free(file->text);
}
