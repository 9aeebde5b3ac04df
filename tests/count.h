/* Entries of a table, as Check's loops count. */
#pragma once

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
