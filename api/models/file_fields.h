/* The properties of a model that a models file may fix. Each function reads a
 * field of the entry, if there is one, into entry->model. INVALID names line
 * and field. */
#pragma once

#include "api/models/file_entry.h"

bool file_fields_read_shape(const struct file_entry *entry, struct status *st);
bool file_fields_read_attributes(const struct file_entry *entry,
                                 struct status *st);
bool file_fields_read_outputs(const struct file_entry *entry,
                              struct status *st);
