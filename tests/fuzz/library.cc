#include "tests/fuzz/library.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/unknown_field_set.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

extern "C" {
#include "api/grpc/tables.h"
}

namespace
{

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::DynamicMessageFactory;
using google::protobuf::FileDescriptorProto;
using google::protobuf::Message;

/* A file is added behind the one that it imports. */
void add_file(DescriptorPool *pool, int index)
{
    const struct grpc_file &file = grpc_files[index];
    FileDescriptorProto proto;

    if (file.imports >= 0 &&
        !pool->FindFileByName(grpc_files[file.imports].name))
        add_file(pool, file.imports);
    if (!proto.ParseFromArray(file.data, static_cast<int>(file.len)) ||
        !pool->BuildFile(proto))
        std::abort();
}

const Message *prototype()
{
    static DescriptorPool pool;
    static DynamicMessageFactory factory;
    static const Message *found = nullptr;

    google::protobuf::SetLogHandler(nullptr);
    for (int i = 0; !found && grpc_files[i].name; i++) {
        const Descriptor *type;

        if (std::strcmp(grpc_files[i].name, "grpc_service.proto") != 0)
            continue;
        add_file(&pool, i);
        type = pool.FindMessageTypeByName("inference.ModelInferRequest");
        found = type ? factory.GetPrototype(type) : nullptr;
    }
    if (!found)
        std::abort();
    return found;
}

} // namespace

bool library_rewrite(const uint8_t *message, size_t len, uint8_t **out,
                     size_t *out_len)
{
    std::unique_ptr<Message> parsed(prototype()->New());
    std::string text;

    if (!parsed->ParseFromArray(message, static_cast<int>(len)))
        return false;
    parsed->DiscardUnknownFields();
    parsed->SerializeToString(&text);
    *out = static_cast<uint8_t *>(std::malloc(text.size() + 1));
    if (!*out)
        std::abort();
    std::memcpy(*out, text.data(), text.size());
    *out_len = text.size();
    return true;
}
