/* The text of --help. */
#pragma once

#include <stdio.h>

/* Writes each option with its default and its meaning. */
void options_help(FILE *out);
