/* Names that a request reads in one place, met in another, where nothing would
 * read them: the answer would be another one than asked for. Keys that mean
 * nothing anywhere are the client's own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/document/tree.h"
#include "kernels/core/status.h"
#include "kernels/ops/op.h"

/* Clients put keys of their own into `parameters`, which are ignored; a near
 * miss of a known name is refused. True if `name` and `known` have the same
 * letters and digits, in any case: timeAxis and time_axis. */
bool alike_name(const char *name, const char *known);

/* True if `name` and `known` differ, but are alike or have at most two letters
 * that are added, left out or exchanged, and both have four letters or more. */
bool near_name(const char *name, const char *known);

/* The place of a name. */
enum misplaced_place {
    MISPLACED_MEMBER, /* a member of the document or of a tensor's object */
    MISPLACED_TENSOR, /* a tensor's parameters, which may have another's */
    MISPLACED_QUERY,  /* of a request whose body is no .npy file */
};

/* Passes a key that the place does not know, and has no meaning elsewhere.
 * Fails with INVALID for an attribute of any operator, TensorFlow's names of
 * them, and all else that the parameters of request or tensors hold, also as a
 * part of the key, "parameters.time_axis"; `where` is the place for the error,
 * "inputs[0].parameters", or "" for the document. */
bool misplaced_pass(const char *key, enum misplaced_place place,
                    const char *where, struct status *st);

/* The same for the value of such a member: searches objects and arrays for
 * these names, however deep. */
bool misplaced_pass_value(const struct tree_value *member, const char *where,
                          struct status *st);

/* The same for a text under such a key, where a client has texts only: finds
 * {"time_axis":1} and time_axis=1 under a key like params. */
bool misplaced_pass_text(const char *key, const char *text, const char *where,
                         struct status *st);

/* Both for each member of an object, but for those `known`, ended by NULL, and
 * for nulls. `count` is the number of members known to be there: nothing is
 * searched where there are no others. Fails as well for one that differs from a
 * known one in case or separators, and for an input of `op`, NULL: none. */
bool misplaced_pass_members(const struct tree_value *object,
                            const char *const *known, size_t count,
                            const struct op *op, const char *where,
                            struct status *st);

/* Passes the names and texts in a query; fails for an input of `op` as well. */
bool misplaced_pass_query(const char *query, const struct op *op,
                          struct status *st);

/* True for a key without a meaning anywhere. For others, writes to `advice`
 * what it should be in the request's parameters of `op`: "; it is seq_axis
 * here", "; it belongs in the parameters of an output", "; it is an input", or
 * "". */
bool misplaced_is_free(const char *key, const struct op *op, char *advice,
                       size_t size);
