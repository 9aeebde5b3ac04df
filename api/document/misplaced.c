#include "api/document/misplaced.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api/base/text.h"
#include "api/lex/scan.h"
#include "kernels/core/edit_distance.h"
#include "kernels/ops/op.h"

enum {
    MOST_INSIDE = 256,   /* bytes of a text or key that are searched */
    MOST_CONTAINER = 64, /* bytes of a key that may stand for "parameters" */
    LEAST_PART = 4,      /* letters of the shortest name */
    /* Letters of a name that may be mistyped, and of such mistakes. */
    NEAR = 2,
    SHORTEST = 4,
    LONGEST = EDIT_DISTANCE_LONGEST,
};

/* A letter of ASCII in lower case, a digit or a NUL; -1 for another byte. */
static inline int folded(char c)
{
    int letter = c | 0x20;

    if (letter >= 'a' && letter <= 'z')
        return letter;
    return scan_is_digit(c) || c == '\0' ? c : -1;
}

bool alike_name(const char *name, const char *known)
{
    for (size_t len = 0; len <= LONGEST; len++, name++) {
        int letter = folded(*name), other = -1;

        if (letter < 0)
            continue;
        while (other < 0)
            other = folded(*known++);
        if (letter != other)
            return false;
        if (letter == '\0')
            return true;
    }
    return false;
}

bool near_name(const char *name, const char *known)
{
    size_t known_len = strlen(known), len = strnlen(name, LONGEST + NEAR + 1);

    if (len < SHORTEST || known_len < SHORTEST || known_len > LONGEST)
        return false;
    if (len > known_len + NEAR || known_len > len + NEAR)
        return alike_name(name, known);
    return strcmp(name, known) != 0 &&
           (alike_name(name, known) ||
            edit_distance(name, len, known, known_len) <= NEAR);
}

#define OF_REQUEST "the request's parameters"
#define OF_TENSOR "the parameters of a tensor"

/* A name that a request reads, and where. */
struct found {
    const char *name, *home;
    const char *as; /* what it is called there */
    bool of_tensor;
};

/* The names that are no attribute of an operator. */
static const struct found names[] = {
    {"seq_dim", OF_REQUEST, "seq_axis or time_axis", false}, /* TensorFlow's */
    {"batch_dim", OF_REQUEST, "batch_axis", false},
    {"binary_data_output", OF_REQUEST, "binary_data_output", false},
    {"timeout", OF_REQUEST, "timeout", false},
    {"binary_data", "the parameters of an output", "binary_data", true},
    {"binary_data_size", "the parameters of an input", "binary_data_size",
     true},
    {"shared_memory_region", OF_TENSOR, "shared_memory_region", true},
    {"shared_memory_offset", OF_TENSOR, "shared_memory_offset", true},
    {"shared_memory_byte_size", OF_TENSOR, "shared_memory_byte_size", true},
};

/* A word of its own, such as "mode", may be a key of the client's own, and one
 * near it, such as "model", is. */
static bool is_word(const char *name)
{
    return !strchr(name, '_');
}

/* How sure it is that a name was meant: a part of a longer text is none that
 * was mistyped. */
enum reading { READ_WHOLE, READ_PART };

static bool is_meant(const char *key, const char *name, enum reading reading)
{
    if (reading == READ_PART)
        return tolower((unsigned char)*key) == *name && alike_name(key, name);
    return strcmp(key, name) == 0 ||
           (is_word(name) ? alike_name(key, name) : near_name(key, name));
}

static bool find(const char *key, enum reading reading, struct found *found)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (is_meant(key, names[i].name, reading)) {
            *found = names[i];
            return true;
        }
    for (int i = 0; op_table[i]; i++)
        for (const struct attribute *a = op_table[i]->attributes; a->name; a++)
            if (is_meant(key, a->name, reading)) {
                *found = (struct found){a->name, OF_REQUEST, a->name, false};
                return true;
            }
    return false;
}

/* Words, and what is a tensor's, another object may have for itself: only in a
 * container are they attributes, and "name" is none there. */
static bool is_attribute(const struct found *found, bool container)
{
    if (container)
        return strcmp(found->name, "name") != 0;
    return !found->of_tensor && !is_word(found->name);
}

/* Takes the next run of letters, digits and underscores before `end`, of
 * LEAST_PART to size - 1; false when there is none. */
static bool next_part(const char **at, const char *end, char *part, size_t size)
{
    size_t len = 0;

    while (*at < end && (len < LEAST_PART || len >= size)) {
        const char *start = *at;

        while (*at < end && (isalnum((unsigned char)**at) || **at == '_'))
            ++*at;
        len = (size_t)(*at - start);
        if (len >= LEAST_PART && len < size)
            memcpy(part, start, len);
        else
            *at += *at < end;
    }
    part[len < size ? len : 0] = '\0';
    return len >= LEAST_PART && len < size;
}

/* Finds an attribute that is a part of a key, "parameters.time_axis" or
 * "parameters[time_axis]", or the key of a pair in a text, as a client writes
 * that has texts only: {"time_axis":1}. Only the begin is read. */
static bool find_inside(const char *text, bool is_key, bool container,
                        struct found *found)
{
    const char *end = text + strnlen(text, MOST_INSIDE);
    char part[64];

    while (next_part(&text, end, part, sizeof(part))) {
        char after = text[strspn(text, " \"'")];

        if ((is_key || after == ':' || after == '=') &&
            find(part, READ_PART, found) && is_attribute(found, container))
            return true;
    }
    return false;
}

static bool refuse(const char *key, const struct found *found,
                   const char *where, struct status *st)
{
    bool same = strcmp(key, found->as) == 0;

    return status_fail(st, STATUS_INVALID,
                       "'%.40s' in %.60s is not read there: it belongs in %s"
                       "%s%s",
                       key, *where ? where : "the request", found->home,
                       same ? "" : ", as ", same ? "" : found->as);
}

/* The name of the input of `op` that the key is, a word in the same case and
 * another name in any; NULL: of none. */
static const char *input_named(const char *key, const struct op *op)
{
    const char *const inputs[] = {op->data, op->control};

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
        if (is_word(inputs[i]) ? strcmp(key, inputs[i]) == 0
                               : alike_name(key, inputs[i]))
            return inputs[i];
    return NULL;
}

static bool pass_input(const char *key, const struct op *op, const char *where,
                       struct status *st)
{
    const char *name = input_named(key, op);
    const struct found found = {name, "inputs, for it is an input of the model",
                                name, false};

    return !name || refuse(key, &found, where, st);
}

/* True for a key that stands for "parameters". */
static bool is_container(const char *key)
{
    static const char *const parts[] = {
        "param", "parm",  "attr",     "propert", "config", "option",
        "opts",  "kwarg", "argument", "args",    "setting"};
    static const char *const wholes[] = {"arg", "opt", "conf", "cfg"};

    if (strnlen(key, MOST_CONTAINER + 1) > MOST_CONTAINER)
        return false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcasestr(key, parts[i]))
            return true;
    for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++)
        if (alike_name(key, wholes[i]))
            return true;
    return near_name(key, "parameters");
}

bool misplaced_pass(const char *key, enum misplaced_place place,
                    const char *where, struct status *st)
{
    struct found found;

    if (find(key, READ_WHOLE, &found))
        return (place == MISPLACED_TENSOR && found.of_tensor) ||
               (place == MISPLACED_QUERY && strcmp(found.name, "name") == 0) ||
               refuse(key, &found, where, st);
    return !find_inside(key, true, is_container(key), &found) ||
           refuse(key, &found, where, st);
}

/* In a container a text may be a name too, {"name": "time_axis"}. */
static bool pass_text(const char *text, bool is_key, bool container,
                      const char *where, struct status *st)
{
    struct found found;

    if (!is_key && !container)
        return true;
    if (find(text, READ_WHOLE, &found))
        return !is_attribute(&found, is_key && container) ||
               refuse(text, &found, where, st);
    return !find_inside(text, is_key, container, &found) ||
           refuse(is_key ? text : found.name, &found, where, st);
}

static bool pass_inside(const struct tree_value *value, bool container,
                        const char *where, struct status *st)
{
    if (value->kind == TREE_STRING)
        return pass_text(value->text, false, container, where, st);
    for (const struct tree_value *v = tree_first(value); v; v = v->next) {
        if (v->kind == TREE_NULL)
            continue;
        if (v->key && !pass_text(v->key, true, container, where, st))
            return false;
        if (!pass_inside(v, container || (v->key && is_container(v->key)),
                         where, st))
            return false;
    }
    return true;
}

bool misplaced_pass_text(const char *key, const char *text, const char *where,
                         struct status *st)
{
    struct found found;
    char path[64];

    if (!is_container(key) || !find_inside(text, false, true, &found))
        return true;
    snprintf(path, sizeof(path), "%s%s%.30s", where, *where ? "." : "", key);
    return refuse(found.name, &found, path, st);
}

bool misplaced_pass_value(const struct tree_value *member, const char *where,
                          struct status *st)
{
    const char *key = member->key;
    char path[64];

    if (member->kind == TREE_STRING)
        return misplaced_pass_text(key, member->text, where, st);
    if (!tree_first(member))
        return true;
    snprintf(path, sizeof(path), "%s%s%.30s", where, *where ? "." : "", key);
    return pass_inside(member, is_container(key), path, st);
}

static bool is_one_of(const char *key, const char *const *known)
{
    while (*known && strcmp(*known, key) != 0)
        known++;
    return *known;
}

static bool pass_case(const char *key, const char *const *known,
                      const char *where, struct status *st)
{
    while (*known && !alike_name(key, *known))
        known++;
    return !*known ||
           status_fail(st, STATUS_INVALID, "'%.40s' in %s is unknown: it is %s",
                       key, *where ? where : "the request", *known);
}

bool misplaced_pass_members(const struct tree_value *object,
                            const char *const *known, size_t count,
                            const struct op *op, const char *where,
                            struct status *st)
{
    if (object->count == count)
        return true;
    for (const struct tree_value *v = object->first; v; v = v->next)
        if (v->kind != TREE_NULL && !is_one_of(v->key, known) &&
            !(misplaced_pass(v->key, MISPLACED_MEMBER, where, st) &&
              misplaced_pass_value(v, where, st) &&
              pass_case(v->key, known, where, st) &&
              (!op || pass_input(v->key, op, where, st))))
            return false;
    return true;
}

/* Decodes the next part of a query, up to one of the letters `ends`, or what of
 * it fits. */
static void take(const char **query, const char *ends, char *text, size_t size)
{
    size_t len = strcspn(*query, ends), most = len < size ? len : size - 1;

    while (most < len && most > 1 && memchr(*query + most - 2, '%', 2))
        most--; /* no half of an escape */
    if (!percent_decode(*query, most, text, size - 1, &most))
        most = 0;
    text[most] = '\0';
    *query += len;
}

bool misplaced_pass_query(const char *query, const struct op *op,
                          struct status *st)
{
    char key[64], value[MOST_INSIDE];

    while (*query) {
        take(&query, "=&", key, sizeof(key));
        take(&query, "&", value, sizeof(value));
        if (!misplaced_pass(key, MISPLACED_QUERY, "the query", st) ||
            !misplaced_pass_text(key, value, "the query", st) ||
            !pass_input(key, op, "the query", st))
            return false;
        query += *query == '&';
    }
    return true;
}

/* The name by which `op` knows what another operator or TensorFlow calls `key`;
 * NULL when there is none. */
static const char *synonym(const char *key, const struct op *op)
{
    static const char *const groups[][4] = {
        {"time_axis", "seq_axis", "seq_dim", NULL},
        {"batch_axis", "batch_dim", NULL},
    };
    const char *own = NULL;

    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        bool is_in = false;

        own = NULL;
        for (const char *const *name = groups[i]; *name; name++) {
            is_in |= is_meant(key, *name, READ_WHOLE);
            if (op_attribute_find(op, *name) >= 0)
                own = *name;
        }
        if (is_in)
            return own;
    }
    return NULL;
}

bool misplaced_is_free(const char *key, const struct op *op, char *advice,
                       size_t size)
{
    const char *own = synonym(key, op);
    struct found found;

    *advice = '\0';
    if (input_named(key, op)) {
        snprintf(advice, size, "; it is an input");
        return false;
    }
    if (!find(key, READ_WHOLE, &found) &&
        !find_inside(key, true, is_container(key), &found))
        return true;
    if (own)
        snprintf(advice, size, "; it is %s here", own);
    else if (found.of_tensor)
        snprintf(advice, size, "; %s belongs in %s", found.name, found.home);
    return false;
}
