#include "server/config/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/edit_distance.h"
#include "kernels/core/status.h"

#define PREFIX "FLIPD_"

enum {
    VALUES_SIZE = 80,
    /* Of a value or an argument in an error: a longer one is shortened. */
    SHOWN_SIZE = 104,
    GRPC_PORT = 8001,
};

/* A suffix and what it multiplies by: bytes, or milliseconds. */
struct suffix {
    const char *name;
    int64_t factor;
};

static const struct suffix none[] = {{NULL, 0}};
static const struct suffix sizes[] = {
    {"KiB", INT64_C(1) << 10}, {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30}, {"TiB", INT64_C(1) << 40},
    {"PiB", INT64_C(1) << 50}, {NULL, 0}};
static const struct suffix times[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {NULL, 0}};

#define SIZES "KiB, MiB, GiB, TiB or PiB"
#define TIMES "ms, s, m or h"

/* By enum option_unit. */
static const struct {
    const struct suffix *suffixes;
    int64_t factor;      /* of the unit itself */
    const char *accepts; /* behind a range, in an error */
    const char *hint;    /* the same in --help */
} units[] = {
    [OPTION_PLAIN] = {none, 1, "", ""},
    [OPTION_BYTES] = {sizes, 1, " bytes, or with " SIZES,
                      ", in bytes without a suffix"},
    [OPTION_MILLISECONDS] = {times, 1, " milliseconds, or with " TIMES,
                             ", in milliseconds without a suffix"},
    [OPTION_SECONDS] = {times, 1000, " seconds, or with " TIMES,
                        ", in seconds without a suffix"},
};

/* 0: there is no such suffix. */
static int64_t factor_of(enum option_unit unit, const char *name)
{
    const struct suffix *s = units[unit].suffixes;

    if (!*name)
        return units[unit].factor;
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    return s->factor;
}

bool option_number_parse(const char *text, enum option_unit unit,
                         int64_t *value)
{
    const char *digits = text + (*text == '-');
    int64_t factor, number;
    char *end;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    number = strtoll(text, &end, 10);
    factor = factor_of(unit, end);
    if (errno || factor == 0 ||
        __builtin_mul_overflow(number, factor, &number) ||
        number % units[unit].factor != 0)
        return false;
    *value = number / units[unit].factor;
    return true;
}

const char *option_number_print(int64_t value, enum option_unit unit,
                                char text[OPTION_NUMBER_SIZE])
{
    const struct suffix *found = NULL;
    int64_t all = value * units[unit].factor, factor = units[unit].factor;

    for (const struct suffix *s = units[unit].suffixes; s->name; s++)
        if (all != 0 && all % s->factor == 0)
            found = s;
    if (found)
        factor = found->factor;
    snprintf(text, OPTION_NUMBER_SIZE, "%" PRId64 "%s", all / factor,
             found ? found->name : "");
    return text;
}

int64_t option_compute(const struct option *option)
{
    int64_t value = option->compute();

    if (value < option->min)
        return option->min;
    return value > option->max ? option->max : value;
}

void option_variable(const struct option *option,
                     char text[OPTION_VARIABLE_SIZE])
{
    snprintf(text, OPTION_VARIABLE_SIZE, PREFIX "%s", option->name);
    for (char *c = text; *c; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static void list_choices(const char *const *choices, const char *separator,
                         char text[VALUES_SIZE])
{
    size_t len = 0;

    for (int i = 0; choices[i]; i++)
        len += (size_t)snprintf(text + len, VALUES_SIZE - len, "%s%s",
                                i ? separator : "", choices[i]);
}

/* Writes the values that an option takes: "0..65535", "1MiB..1PiB", "text|json"
 * with `separator` between choices, "FILE". Returns `text`. No action. */
static const char *print_values(const struct option *option,
                                const char *separator, char text[VALUES_SIZE])
{
    static const char *const truths[] = {"true", "false", NULL};
    char least[OPTION_NUMBER_SIZE], most[OPTION_NUMBER_SIZE];

    if (option->kind == OPTION_NUMBER)
        snprintf(text, VALUES_SIZE, "%s..%s",
                 option_number_print(option->min, option->unit, least),
                 option_number_print(option->max, option->unit, most));
    else if (option->kind == OPTION_CHOICE)
        list_choices(option->choices, separator, text);
    else if (option->kind == OPTION_FLAG)
        list_choices(truths, separator, text);
    else
        snprintf(text, VALUES_SIZE, "%s", option->stands_for);
    return text;
}

/* A value and its source, which error messages name. */
struct given {
    const char *source; /* "--http-port" or "FLIPD_HTTP_PORT" */
    const char *value;  /* for an action, which takes none, NULL */
};

static const char *show(const char *value, char text[SHOWN_SIZE])
{
    return shorten(value, strlen(value), text, SHOWN_SIZE);
}

static int64_t *number_at(struct options *options, const struct option *option)
{
    return (int64_t *)(void *)((char *)options + option->offset);
}

static bool set_number(struct options *options, const struct option *option,
                       const struct given *given, struct status *st)
{
    char shown[SHOWN_SIZE];
    int64_t value;

    if (option_number_parse(given->value, option->unit, &value) &&
        value >= option->min && value <= option->max) {
        *number_at(options, option) = value;
        return true;
    }
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%s\", but must be a whole number in %" PRId64
                       "..%" PRId64 "%s",
                       given->source, show(given->value, shown), option->min,
                       option->max, units[option->unit].accepts);
}

static bool set_flag(struct options *options, const struct option *option,
                     const struct given *given, struct status *st)
{
    bool on = strcmp(given->value, "true") == 0;
    char value[SHOWN_SIZE];

    if (!on && strcmp(given->value, "false") != 0)
        return status_fail(st, STATUS_INVALID,
                           "%s is \"%s\", but must be true or false",
                           given->source, show(given->value, value));
    *(bool *)((char *)options + option->offset) = on;
    return true;
}

/* Of an option that may be given once, or several times: then `texts`. */
static bool set_text(struct options *options, const struct option *option,
                     const struct given *given, struct status *st)
{
    void *at = (char *)options + option->offset;
    struct option_texts *texts = at;

    if (!*given->value)
        return status_fail(st, STATUS_INVALID, "%s is empty", given->source);
    if (option->kind == OPTION_TEXT)
        *(const char **)at = given->value;
    else if (texts->count == OPTION_MAX_TEXTS)
        return status_fail(st, STATUS_INVALID, "%s is given more than %d times",
                           given->source, OPTION_MAX_TEXTS);
    else
        texts->all[texts->count++] = given->value;
    return true;
}

static bool set_choice(struct options *options, const struct option *option,
                       const struct given *given, struct status *st)
{
    char names[VALUES_SIZE], value[SHOWN_SIZE];

    for (int i = 0; option->choices[i]; i++)
        if (strcmp(option->choices[i], given->value) == 0) {
            *number_at(options, option) = i;
            return true;
        }
    return status_fail(st, STATUS_INVALID,
                       "%s is \"%s\", but must be one of %s", given->source,
                       show(given->value, value),
                       print_values(option, ", ", names));
}

/* `options` borrows the value. Fails with INVALID, whose text names the source,
 * the value and the values that are accepted. */
static bool set(struct options *options, const struct option *option,
                const struct given *given, struct status *st)
{
    switch (option->kind) {
    case OPTION_NUMBER:
        return set_number(options, option, given, st);
    case OPTION_FLAG:
        return set_flag(options, option, given, st);
    case OPTION_TEXT:
    case OPTION_TEXTS:
        return set_text(options, option, given, st);
    case OPTION_CHOICE:
        return set_choice(options, option, given, st);
    case OPTION_ACTION:
        break;
    }
    *(int *)(void *)((char *)options + option->offset) = (int)option->min;
    return true;
}

/* The word or words `name` are in `known`, which has '-' between its words. */
static bool has_words(const char *known, const char *name, size_t len)
{
    for (const char *at = known; (at = strchr(at, name[0])) != NULL; at++)
        if ((at == known || at[-1] == '-') && strncmp(at, name, len) == 0 &&
            (at[len] == '\0' || at[len] == '-'))
            return true;
    return false;
}

static const struct option *find_part(const char *name, size_t len)
{
    const struct option *part = NULL;

    for (const struct option *o = option_table; o->name; o++) {
        if (strncmp(o->name, name, len) == 0 ||
            (len > strlen(o->name) &&
             strncmp(o->name, name, strlen(o->name)) == 0))
            return o;
        if (!part && has_words(o->name, name, len))
            part = o;
    }
    return part;
}

/* The option whose name differs least, in at most a third of the letters. */
static const struct option *find_mistyped(const char *name, size_t len)
{
    const struct option *nearest = NULL;
    int least = (int)(len / 3) + 1;

    if (len < 2 || len > EDIT_DISTANCE_LONGEST)
        return NULL;
    for (const struct option *o = option_table; o->name; o++) {
        int differs = edit_distance(name, len, o->name, strlen(o->name));

        if (differs >= least)
            continue;
        least = differs;
        nearest = o;
    }
    return nearest;
}

const struct option *options_nearest(const char *name, size_t len)
{
    const struct option *nearest = find_mistyped(name, len);

    if (nearest || len < 2 || len > EDIT_DISTANCE_LONGEST)
        return nearest;
    return find_part(name, len);
}

/* Kubernetes describes each service of a namespace to its containers, as
 * Docker's links did: a service called flipd-admin makes
 * FLIPD_ADMIN_PORT=tcp://10.0.0.1:8002, FLIPD_ADMIN_SERVICE_HOST and more. True
 * for a variable that ends with _PORT and has such an address: it counts as
 * absent. */
static bool is_link(const char *variable, const char *value)
{
    const char *end = strrchr(variable, '_');
    const char *address = strstr(value, "://");
    const char *port = strrchr(value, ':');

    return strcmp(end, "_PORT") == 0 && address && port > address + 3 &&
           port[1] != '\0' &&
           port[1 + strspn(port + 1, "0123456789")] == '\0' &&
           (strncmp(value, "tcp:", 4) == 0 || strncmp(value, "udp:", 4) == 0 ||
            strncmp(value, "sctp:", 5) == 0);
}

/* FLIPD_SERVICE_HOST, FLIPD_ADMIN_SERVICE_PORT_HTTP, FLIPD_PORT_8000_TCP_ADDR.
 */
static bool is_of_service(const char *variable)
{
    const char *port = strstr(variable, "_PORT_");

    return strstr(variable, "_SERVICE_HOST") ||
           strstr(variable, "_SERVICE_PORT") ||
           (port && isdigit((unsigned char)port[6]));
}

static bool is_known(const char *variable)
{
    char own[OPTION_VARIABLE_SIZE];

    for (const struct option *o = option_table; o->name; o++) {
        option_variable(o, own);
        if (o->kind != OPTION_ACTION && strcmp(variable, own) == 0)
            return true;
    }
    return strcmp(variable, PREFIX "SIMD") == 0;
}

/* The variable of the option that is meant by `name`, or "". */
static void find_variable(const char *name, char variable[OPTION_VARIABLE_SIZE])
{
    char words[OPTION_VARIABLE_SIZE];
    const struct option *nearest;

    snprintf(words, sizeof(words), "%s", name + sizeof(PREFIX) - 1);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    nearest = options_nearest(words, strlen(words));
    *variable = '\0';
    if (nearest && nearest->kind != OPTION_ACTION)
        option_variable(nearest, variable);
}

void options_report_strays(char *const environment[], struct log *log)
{
    for (; *environment; environment++) {
        const char *value = strchr(*environment, '=');
        char name[OPTION_VARIABLE_SIZE], nearest[OPTION_VARIABLE_SIZE];

        if (strncmp(*environment, PREFIX, sizeof(PREFIX) - 1) != 0 || !value ||
            !value[1])
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)(value - *environment),
                 *environment);
        if (is_link(name, value + 1)) {
            if (is_known(name))
                log_event(
                    log, LOG_INFO,
                    "this variable describes a service: it sets no option",
                    {"variable", name, 0});
        } else if (!is_known(name) && !is_of_service(name)) {
            find_variable(name, nearest);
            log_event(log, LOG_WARNING, "no option has this variable",
                      {"variable", name, 0},
                      {*nearest ? "did_you_mean" : NULL, nearest, 0});
        }
    }
}

/* The option of this name, given without the dashes. */
static const struct option *find(const char *name, size_t len)
{
    for (const struct option *option = option_table; option->name; option++)
        if (strlen(option->name) == len && !memcmp(option->name, name, len))
            return option;
    return NULL;
}

/* What stands behind '=' may be a secret. */
static bool fail_unknown(const char *argument, size_t len, struct status *st)
{
    size_t dashes = strspn(argument, "-");
    const char *name = argument + dashes;
    const struct option *nearest = dashes > 0
                                       ? options_nearest(name, len - dashes)
                                       : find_mistyped(name, len);
    char shown[SHOWN_SIZE];

    shorten(argument, len, shown, sizeof(shown));
    if (nearest)
        return status_fail(st, STATUS_INVALID,
                           "%s is not an option; did you mean --%s? --help "
                           "lists them",
                           shown, nearest->name);
    if (dashes > 0)
        return status_fail(st, STATUS_INVALID,
                           "%s is not an option; --help lists them", shown);
    if (strcmp(shown, "true") == 0 || strcmp(shown, "false") == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s stands alone: a flag's value is written behind "
                           "an equals sign, as in --access-log=%s",
                           shown, shown);
    return status_fail(st, STATUS_INVALID,
                       "%s is not an option: flipd takes options only, and "
                       "serves without any; --help lists them",
                       shown);
}

/* Reads argv[*at] and, if the value is an argument of its own, the next one,
 * which is none if it begins as an option does: an empty variable of a script
 * would let the option before it swallow that option. Marks the option's row.
 */
static bool read_argument(struct options *options, char *const argv[], int *at,
                          bool *marks, struct status *st)
{
    const char *argument = strcmp(argv[*at], "-h") == 0 ? "--help" : argv[*at];
    const char *value = strchr(argument, '=');
    size_t len = value ? (size_t)(value - argument) : strlen(argument);
    const struct option *option = NULL;
    char source[OPTION_VARIABLE_SIZE];
    struct given given = {source, value ? value + 1 : NULL};

    if (strncmp(argument, "--", 2) == 0)
        option = find(argument + 2, len - 2);
    if (!option)
        return fail_unknown(argument, len, st);
    snprintf(source, sizeof(source), "--%s", option->name);
    if (option->kind == OPTION_ACTION && value)
        return status_fail(st, STATUS_INVALID, "%s takes no value", source);
    if (option->kind == OPTION_FLAG && !value)
        given.value = "true";
    else if (option->kind != OPTION_ACTION && !value && argv[*at + 1] &&
             strncmp(argv[*at + 1], "--", 2) != 0)
        given.value = argv[++*at];
    if (option->kind != OPTION_ACTION && !given.value)
        return status_fail(st, STATUS_INVALID, "%s needs a value", source);
    marks[option - option_table] = true;
    return set(options, option, &given, st);
}

/* Options that the command line leaves open: sets each from the environment, or
 * to its default. An empty variable counts as absent: compose files and charts
 * pass options that way. */
static bool read_environment(struct options *options, const bool *marks,
                             struct status *st)
{
    char variable[OPTION_VARIABLE_SIZE];
    struct status further;
    bool ok = true;

    for (int row = 0; option_table[row].name; row++) {
        const struct option *option = &option_table[row];
        struct given given = {variable, NULL};

        if (marks[row] || option->kind == OPTION_ACTION)
            continue;
        option_variable(option, variable);
        given.value = getenv(variable);
        if (!given.value || !*given.value || is_link(variable, given.value))
            given = (struct given){"the default", option->fallback};
        if (given.value)
            ok = set(options, option, &given, ok ? st : &further) && ok;
        else if (option->compute)
            *number_at(options, option) = option_compute(option);
    }
    return ok;
}

/* The command line is read first: a variable that it overrides may have any
 * value. After an error the rest is read too: the error is written in the log's
 * format, which may be given behind it. */
bool options_load(struct options *options, int argc, char *const argv[],
                  struct status *st)
{
    bool marks[OPTION_ROWS] = {false};
    bool ok = true;
    struct status further;

    *options = (struct options){.action = OPTIONS_SERVE};
    for (int i = 1; i < argc; i++)
        ok = read_argument(options, argv, &i, marks, ok ? st : &further) && ok;
    if (ok &&
        (options->action == OPTIONS_HELP || options->action == OPTIONS_VERSION))
        return true;
    ok = read_environment(options, marks, ok ? st : &further) && ok;
    if (options->grpc_address && options->grpc_port < 0)
        options->grpc_port = GRPC_PORT;
    return ok;
}

static void print_option(FILE *out, const struct option *option)
{
    char variable[OPTION_VARIABLE_SIZE], values[VALUES_SIZE];

    fprintf(out, "  --%s\n      %s\n", option->name, option->help);
    if (option->kind == OPTION_ACTION)
        return;
    option_variable(option, variable);
    fprintf(out, "      %s: %s%s", variable, print_values(option, "|", values),
            units[option->unit].hint);
    if (option->fallback)
        fprintf(out, "; default %s\n", option->fallback);
    else if (!option->compute)
        fprintf(out, "; default %s\n", option->computed);
    else
        fprintf(out, "; default %" PRId64 " (%s)\n", option_compute(option),
                option->computed);
}

void options_help(FILE *out)
{
    fputs("flipd answers tensor-reversal requests over HTTP (Open Inference "
          "Protocol v2).\n\n"
          "Usage: flipd [--name value | --name=value | --flag]...\n\n"
          "Every option can be given as an environment variable; the command "
          "line wins.\n"
          "Bytes may have the suffix " SIZES ",\ntimes " TIMES ".\n",
          out);
    for (const struct option *o = option_table; o->name; o++) {
        if (o == option_table || o->group != o[-1].group)
            fprintf(out, "\n%s:\n", option_groups[o->group]);
        print_option(out, o);
    }
    for (const struct option_note *note = option_notes; note->name; note++) {
        if (note->title)
            fprintf(out, "\n%s:\n", note->title);
        fprintf(out, "  %s\n      %s\n", note->name, note->text);
    }
}
