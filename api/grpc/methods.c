#include "api/grpc/methods.h"

#include <string.h>

#define MODEL "/v2/models/{model}"
#define REGION "/region/{region}"

#define METHOD(name, id, label, how, http, path)                               \
    {                                                                          \
        {"/" GRPC_INFERENCE "/" #name, API_GRPC_UNARY, false, API_ROUTE_##id,  \
         label},                                                               \
            GRPC_##how, http, path, &grpc_##name##Request,                     \
            &grpc_##name##Response                                             \
    }
#define OTHER(path, kind, infer, id, label, how)                               \
    {                                                                          \
        {path, API_GRPC_##kind, infer, API_ROUTE_##id, label}, GRPC_##how,     \
            "POST", NULL, NULL, NULL                                           \
    }

#define MODEL_PATH "/v2/models/{1}[/versions/{2}]"
#define SYSTEM "/v2/systemsharedmemory"
#define CUDA "/v2/cudasharedmemory"

/* The most frequent are first. */
static const struct grpc_row rows[] = {
    OTHER("/" GRPC_INFERENCE "/ModelInfer", UNARY, true, INFER, MODEL "/infer",
          INFER),
    OTHER("/" GRPC_INFERENCE "/ModelStreamInfer", STREAM, true, INFER,
          MODEL "/infer", INFER),
    OTHER("/grpc.health.v1.Health/Check", UNARY, false, READY,
          "/v2/health/ready", HEALTH),
    OTHER("/grpc.health.v1.Health/Watch", WATCH, false, READY,
          "/v2/health/ready", HEALTH),
    OTHER("/grpc.health.v1.Health/List", UNARY, false, READY,
          "/v2/health/ready", HEALTH_LIST),
    METHOD(ServerLive, LIVE, "/v2/health/live", JSON, "GET", "/v2/health/live"),
    METHOD(ServerReady, READY, "/v2/health/ready", READY, "GET",
           "/v2/health/ready"),
    METHOD(ModelReady, MODEL_READY, MODEL "/ready", MODEL_READY, "GET",
           MODEL_PATH "/ready"),
    METHOD(ServerMetadata, SERVER, "/v2", JSON, "GET", "/v2"),
    METHOD(ModelMetadata, MODEL, MODEL, JSON, "GET", MODEL_PATH),
    METHOD(ModelConfig, CONFIG, MODEL "/config", JSON, "GET",
           MODEL_PATH "/config"),
    METHOD(ModelStatistics, STATISTICS, MODEL "/stats", JSON, "GET",
           "/v2/models[/{1}][/versions/{2}]/stats"),
    METHOD(RepositoryIndex, INDEX, "/v2/repository/index", JSON, "POST",
           "/v2/repository/index"),
    METHOD(RepositoryModelLoad, LOAD, "/v2/repository/models/{model}/load",
           JSON, "POST", "/v2/repository/models/{2}/load"),
    METHOD(RepositoryModelUnload, LOAD, "/v2/repository/models/{model}/unload",
           JSON, "POST", "/v2/repository/models/{2}/unload"),
    METHOD(SystemSharedMemoryStatus, SHM_STATUS, SYSTEM "/status", JSON, "GET",
           SYSTEM "[/region/{1}]/status"),
    METHOD(SystemSharedMemoryRegister, SHM_REGISTER, SYSTEM REGION "/register",
           JSON, "POST", SYSTEM "/region/{1}/register"),
    METHOD(SystemSharedMemoryUnregister, SHM_UNREGISTER, SYSTEM "/unregister",
           JSON, "POST", SYSTEM "[/region/{1}]/unregister"),
    METHOD(CudaSharedMemoryStatus, CUDA_STATUS, CUDA "/status", JSON, "GET",
           CUDA "[/region/{1}]/status"),
    METHOD(CudaSharedMemoryRegister, CUDA_REGISTER, CUDA REGION "/register",
           JSON, "POST", CUDA "/region/{1}/register"),
    METHOD(CudaSharedMemoryUnregister, CUDA_UNREGISTER, CUDA "/unregister",
           JSON, "POST", CUDA "[/region/{1}]/unregister"),
    METHOD(TraceSetting, NONE, "none", JSON, "GET", "/v2/trace/setting"),
    METHOD(LogSettings, LOGGING, "/v2/logging", JSON, "POST", "/v2/logging"),
    OTHER("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", STREAM,
          false, NONE, "none", REFLECTION),
    OTHER("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
          STREAM, false, NONE, "none", REFLECTION),
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct api_grpc_method *api_grpc_at(size_t index)
{
    return index < ROWS ? &rows[index].method : NULL;
}

const struct api_grpc_method *api_grpc_find(const char *path)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].method.path, path) == 0)
            return &rows[i].method;
    return NULL;
}
