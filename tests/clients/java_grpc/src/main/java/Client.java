// grpc-java with stubs that protoc made of flipd's .proto files: blocking calls,
// futures, streams, statuses, deadlines, large messages, many at once.
// Usage: java -cp ... Client ADDRESS [CA]

import com.google.protobuf.ByteString;
import inference.GRPCInferenceServiceGrpc;
import inference.GrpcService.InferTensorContents;
import inference.GrpcService.ModelInferRequest;
import inference.GrpcService.ModelInferResponse;
import inference.GrpcService.ModelMetadataRequest;
import inference.GrpcService.ModelReadyRequest;
import inference.GrpcService.ModelStreamInferResponse;
import inference.GrpcService.ServerLiveRequest;
import inference.GrpcService.ServerMetadataRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

public final class Client {
    private static final String MODEL = "openvino.ReverseSequence";
    private static int checks;
    private static int failed;
    private static GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub client;
    private static ManagedChannel channel;

    private static synchronized void equal(String what, Object expected, Object got) {
        checks++;
        if (!Objects.equals(expected, got)) {
            failed++;
            System.out.println("  FAILED: " + what + ": expected <" + expected + ">, got <" + got + ">");
        }
    }

    private static void refused(String what, Status.Code code, String text, Runnable call) {
        try {
            call.run();
            equal(what, code, "not refused");
        } catch (StatusRuntimeException error) {
            equal(what, code, error.getStatus().getCode());
            String got = String.valueOf(error.getStatus().getDescription());
            equal(what, true, got.contains(text) ? true : got);
        }
    }

    private static ByteString ints(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int value : values) {
            bytes.putInt(value);
        }
        return ByteString.copyFrom(bytes.array());
    }

    private static ModelInferRequest.InferInputTensor.Builder tensor(String name, String datatype, long... shape) {
        ModelInferRequest.InferInputTensor.Builder one =
            ModelInferRequest.InferInputTensor.newBuilder().setName(name).setDatatype(datatype);
        for (long dim : shape) {
            one.addShape(dim);
        }
        return one;
    }

    private static ModelInferRequest request(String id, String datatype, ByteString row, long count, int length) {
        return ModelInferRequest.newBuilder().setModelName(MODEL).setId(id)
            .addInputs(tensor("data", datatype, 1, count)).addInputs(tensor("seq_lengths", "INT32", 1))
            .addRawInputContents(row).addRawInputContents(ints(length)).build();
    }

    private static void calls() {
        equal("live", true, client.serverLive(ServerLiveRequest.getDefaultInstance()).getLive());
        equal("name", "flipd", client.serverMetadata(ServerMetadataRequest.getDefaultInstance()).getName());
        equal("ready", false, client.modelReady(ModelReadyRequest.newBuilder().setName("none").build()).getReady());
        equal("metadata", List.of(-1L, -1L, 8L), client.modelMetadata(
            ModelMetadataRequest.newBuilder().setName("flip").build()).getInputs(0).getShapeList());
        refused("no model", Status.Code.NOT_FOUND, "Request for unknown model: 'nön' ",
            () -> client.modelMetadata(ModelMetadataRequest.newBuilder().setName("nön").build()));
        refused("a length", Status.Code.INVALID_ARGUMENT, "seq_lengths[0] is 9",
            () -> client.modelInfer(request("w", "INT32", ints(1, 2, 3, 4), 4, 9)));
    }

    private static void inferences() {
        ModelInferResponse reply = client.modelInfer(request("r", "INT32", ints(1, 2, 3, 4), 4, 3));
        equal("raw", ints(3, 2, 1, 4), reply.getRawOutputContents(0));
        equal("id", "r", reply.getId());
        ModelInferRequest typed = ModelInferRequest.newBuilder().setModelName(MODEL)
            .addInputs(tensor("data", "INT32", 1, 4).setContents(
                InferTensorContents.newBuilder().addAllIntContents(List.of(1, 2, 3, 4))))
            .addInputs(tensor("seq_lengths", "INT64", 1).setContents(
                InferTensorContents.newBuilder().addInt64Contents(3))).build();
        equal("contents", ints(3, 2, 1, 4), client.modelInfer(typed).getRawOutputContents(0));
        equal("gzip", ints(3, 2, 1, 4), client.withCompression("gzip").modelInfer(typed).getRawOutputContents(0));
    }

    // The call with a deadline has a connection of its own: this client may send data for a
    // stream that it has reset (grpc-java issue 6560), which ends the connection.
    private static void large(ManagedChannel own) throws Exception {
        byte[] row = new byte[16 << 20];
        row[0] = 7;
        ModelInferRequest message = request("l", "UINT8", ByteString.copyFrom(row), row.length, row.length);
        equal("16 MiB", (byte) 7, client.modelInfer(message).getRawOutputContents(0).byteAt(row.length - 1));
        refused("a deadline", Status.Code.DEADLINE_EXCEEDED, "",
            () -> GRPCInferenceServiceGrpc.newBlockingStub(own)
                .withDeadlineAfter(2, TimeUnit.MILLISECONDS).modelInfer(message));
        own.shutdown().awaitTermination(5, TimeUnit.SECONDS);
    }

    private static void atOnce() throws Exception {
        var stub = GRPCInferenceServiceGrpc.newFutureStub(channel);
        var asked = new ArrayList<com.google.common.util.concurrent.ListenableFuture<ModelInferResponse>>();
        for (int i = 0; i < 500; i++) {
            asked.add(stub.modelInfer(request(String.valueOf(i), "INT32", ints(i, 2, 3, 4), 4, 4)));
        }
        for (int i = 0; i < asked.size(); i++) {
            ModelInferResponse reply = asked.get(i).get(30, TimeUnit.SECONDS);
            equal("future " + i, String.valueOf(i), reply.getId());
            equal("future " + i, ints(4, 3, 2, i), reply.getRawOutputContents(0));
        }
    }

    private static void streams() throws Exception {
        List<ModelStreamInferResponse> replies = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        StreamObserver<ModelInferRequest> stream = GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(
            new StreamObserver<>() {
                public void onNext(ModelStreamInferResponse reply) {
                    replies.add(reply);
                }

                public void onError(Throwable error) {
                    equal("a stream", "no error", error);
                    done.countDown();
                }

                public void onCompleted() {
                    done.countDown();
                }
            });
        for (int i = 0; i < 100; i++) {
            stream.onNext(request(String.valueOf(i), "INT32", ints(1, 2, 3, 4), 4, i % 7 == 0 ? 9 : 3));
        }
        stream.onCompleted();
        equal("the end", true, done.await(30, TimeUnit.SECONDS));
        equal("replies", 100, replies.size());
        for (int i = 0; i < replies.size(); i++) {
            ModelStreamInferResponse reply = replies.get(i);
            equal("in order " + i, true, i % 7 == 0 ? reply.getErrorMessage().contains("seq_lengths[0] is 9")
                : reply.getInferResponse().getId().equals(String.valueOf(i)));
        }
    }

    public static void main(String[] words) throws Exception {
        var trust = words.length > 1 ? TlsChannelCredentials.newBuilder().trustManager(new File(words[1])).build()
            : InsecureChannelCredentials.create();
        var builder = Grpc.newChannelBuilder(words[0], trust).maxInboundMessageSize(1 << 30);
        channel = builder.build();
        client = GRPCInferenceServiceGrpc.newBlockingStub(channel);
        calls();
        inferences();
        large(builder.build());
        atOnce();
        streams();
        channel.shutdown().awaitTermination(5, TimeUnit.SECONDS);
        System.out.println("  " + checks + " checks, " + failed + " failed");
        System.exit(failed > 0 ? 1 : 0);
    }
}
