/* One tensor of a request. */
#pragma once

#include "api/infer/state.h"

/* Describes an input whose bytes are at `bytes`; NULL for JSON. */
void input_describe(const struct document_input *input,
                    const unsigned char *bytes, struct tensor *tensor);

/* The same for an input that is JSON, with its validated part. */
void input_describe_text(const struct infer_request *request,
                         const struct document_input *input,
                         struct data_array *text);

/* Refuses a text that has fewer bytes than elements, before memory is allocated
 * for them. The text is read so that the error names its count. */
bool input_check_count(const struct data_array *text, struct status *st);

/* Sets infer->call.control, lengths or axes: JSON is converted, and shared
 * memory is copied, to infer->control. */
bool input_locate_control(struct infer *infer,
                          const struct document_input *input,
                          unsigned char *bytes, struct status *st);
