#include "server/config/option.h"

#include <ctype.h>
#include <stdio.h>

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
    snprintf(text, OPTION_VARIABLE_SIZE, "FLIPD_%s", option->name);
    for (char *c = text; *c; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static void list_choices(const char *const *choices, const char *separator,
                         char text[OPTION_VALUES_SIZE])
{
    size_t len = 0;

    for (int i = 0; choices[i]; i++)
        len += (size_t)snprintf(text + len, OPTION_VALUES_SIZE - len, "%s%s",
                                i ? separator : "", choices[i]);
}

const char *option_values(const struct option *option, const char *separator,
                          char text[OPTION_VALUES_SIZE])
{
    static const char *const truths[] = {"true", "false", NULL};
    char least[OPTION_NUMBER_SIZE], most[OPTION_NUMBER_SIZE];

    *text = '\0';
    if (option->kind == OPTION_NUMBER)
        snprintf(text, OPTION_VALUES_SIZE, "%s..%s",
                 option_number_print(option->min, option->unit, least),
                 option_number_print(option->max, option->unit, most));
    else if (option->kind == OPTION_CHOICE)
        list_choices(option->choices, separator, text);
    else if (option->kind == OPTION_FLAG)
        list_choices(truths, separator, text);
    else if (option->stands_for)
        snprintf(text, OPTION_VALUES_SIZE, "%s", option->stands_for);
    return text;
}
