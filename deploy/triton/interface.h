/* The part of Triton's interface for backends, version 1, that is needed here.
 * Triton defines all but the last three. An error is NULL for success, else the
 * caller's to delete. All other objects are Triton's: a request is the
 * backend's until it is released, with the texts and buffers of its inputs, a
 * response until it is sent. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TRITONSERVER_Error *triton_error;
typedef struct TRITONSERVER_Message *triton_message;
typedef struct TRITONBACKEND_Model *triton_model;
typedef struct TRITONBACKEND_ModelInstance *triton_instance;
typedef struct TRITONBACKEND_Request *triton_request;
typedef struct TRITONBACKEND_Input *triton_input;
typedef struct TRITONBACKEND_Response *triton_response;
typedef struct TRITONBACKEND_Output *triton_output;

enum { TRITON_INVALID = 3, TRITON_UNAVAILABLE = 4 };            /* errors */
enum { TRITON_STRING, TRITON_INT, TRITON_BOOL, TRITON_DOUBLE }; /* parameters */
enum { TRITON_CPU, TRITON_CPU_PINNED };                         /* memory */
enum { TRITON_FINAL = 1, TRITON_RELEASE_ALL = 1 };              /* flags */

triton_error TRITONSERVER_ErrorNew(int code, const char *text);
void TRITONSERVER_ErrorDelete(triton_error);
const char *TRITONSERVER_DataTypeString(int datatype);
triton_error TRITONSERVER_MessageSerializeToJson(triton_message, const char **,
                                                 size_t *bytes);
triton_error TRITONSERVER_MessageDelete(triton_message);

#define TRITON(name, ...) triton_error TRITONBACKEND_##name(__VA_ARGS__)
/* The message, of version 1, is the caller's to delete. */
TRITON(ModelConfig, triton_model, uint32_t version, triton_message *);
TRITON(ModelState, triton_model, void **);
TRITON(ModelSetState, triton_model, void *);
TRITON(ModelInstanceModel, triton_instance, triton_model *);
/* Start, start and end of the computing, end: ns of CLOCK_MONOTONIC. */
TRITON(ModelInstanceReportStatistics, triton_instance, triton_request, bool ok,
       uint64_t, uint64_t, uint64_t, uint64_t);
TRITON(ModelInstanceReportBatchStatistics, triton_instance, uint64_t requests,
       uint64_t, uint64_t, uint64_t, uint64_t);

TRITON(RequestInputCount, triton_request, uint32_t *);
TRITON(RequestInputByIndex, triton_request, uint32_t, triton_input *);
TRITON(RequestParameterCount, triton_request, uint32_t *);
/* The value is a text, or points to an int64_t, a bool or a double. */
TRITON(RequestParameter, triton_request, uint32_t, const char **key, int *type,
       const void **value);
TRITON(RequestRelease, triton_request, uint32_t flags);
TRITON(InputProperties, triton_input, const char **name, int *datatype,
       const int64_t **dims, uint32_t *rank, uint64_t *bytes, uint32_t *parts);
/* Memory: which is wanted, then which it is. */
TRITON(InputBuffer, triton_input, uint32_t part, const void **, uint64_t *bytes,
       int *memory, int64_t *memory_id);

TRITON(ResponseNew, triton_response *, triton_request);
TRITON(ResponseSetStringParameter, triton_response, const char *key,
       const char *text);
TRITON(ResponseOutput, triton_response, triton_output *, const char *name,
       int datatype, const int64_t *dims, uint32_t rank);
TRITON(OutputBuffer, triton_output, void **, uint64_t bytes, int *memory,
       int64_t *memory_id);
TRITON(ResponseSend, triton_response, uint32_t flags, triton_error);

TRITON(ModelInitialize, triton_model);
TRITON(ModelFinalize, triton_model);
TRITON(ModelInstanceExecute, triton_instance, triton_request *, uint32_t count);
