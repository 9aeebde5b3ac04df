#include "tests/vector_file.h"

#include <glob.h>
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
        if (depth == 0 && strchr(",}", text[i]))
            return i;
        depth += text[i] == '[' || text[i] == '{';
        depth -= text[i] == ']' || text[i] == '}';
        if (strchr("]}", text[i]) && depth == 0)
            return i + 1;
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

static void read_dtype(const char *line, const char *key, enum dtype *dtype)
{
    char name[32];

    read_string(line, key, name, sizeof(name));
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
    struct vector_text shape = field(line, "control_shape");

    v->control = field(line, "control");
    v->control_shape.rank = 1;
    v->control_shape.dims[0] = count_entries(v->control);
    if (shape.text)
        read_shape(shape, &v->control_shape);
    read_dtype(line, "control_datatype", &v->control_dtype);
}

static void read_vector(const char *line, struct vector *v)
{
    read_string(line, "id", v->id, sizeof(v->id));
    read_string(line, "op", v->op, sizeof(v->op));
    read_dtype(line, "datatype", &v->dtype);
    read_shape(field(line, "shape"), &v->shape);
    v->data = field(line, "data");
    v->expect = field(line, "expect");
    read_string(line, "data_hex", v->data_hex, sizeof(v->data_hex));
    read_string(line, "expect_hex", v->expect_hex, sizeof(v->expect_hex));
    read_control(line, v);
    v->parameters = field(line, "parameters");
    read_string(line, "refusal", v->refusal, sizeof(v->refusal));
    v->everywhere = field(line, "everywhere").text != NULL;
    if (!v->data.text && !*v->data_hex)
        die("has no data", v->id);
    if (!v->control.text || !v->parameters.text)
        die("has no control or no parameters", v->id);
}

static void read_model(const char *line, struct vector_model *m)
{
    read_string(line, "model", m->name, sizeof(m->name));
    read_string(line, "version", m->version, sizeof(m->version));
    read_string(line, "data", m->data, sizeof(m->data));
    read_string(line, "control", m->control, sizeof(m->control));
    read_string(line, "output", m->output, sizeof(m->output));
    m->scales = field(line, "scales").text != NULL;
    m->parameters = field(line, "parameters");
}

static void *grow(void *list, int count, size_t size)
{
    list = realloc(list, (size_t)(count + 1) * size);
    if (!list)
        die("no memory", "vectors");
    memset((char *)list + (size_t)count * size, 0, size);
    return list;
}

static void read_file(const char *path, struct vector_file *file)
{
    file->texts = grow(file->texts, file->texts_count, sizeof(*file->texts));
    file->texts[file->texts_count] = read_whole(path);
    for (const char *line = file->texts[file->texts_count++];
         (line = strstr(line, "\n{"));) {
        line++;
        if (field(line, "model").text) {
            file->models =
                grow(file->models, file->models_count, sizeof(*file->models));
            read_model(line, &file->models[file->models_count++]);
        } else {
            file->vectors =
                grow(file->vectors, file->count, sizeof(*file->vectors));
            read_vector(line, &file->vectors[file->count++]);
        }
    }
}

void vector_file_read(struct vector_file *file)
{
    glob_t found;

    *file = (struct vector_file){0};
    if (glob(FLIPD_TESTS_DIR "/vectors/*.json", 0, NULL, &found) != 0)
        die("are missing", FLIPD_TESTS_DIR "/vectors/*.json");
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_file(found.gl_pathv[i], file);
    globfree(&found);
}

void vector_file_free(struct vector_file *file)
{
    for (int i = 0; i < file->texts_count; i++)
        free(file->texts[i]);
    free(file->texts);
    free(file->vectors);
    free(file->models);
}
