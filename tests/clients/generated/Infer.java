// One inference with what openapi-generator has generated for Java's HttpClient,
// and a refusal.
// Usage: java -cp ... Infer.java ADDRESS
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.InferenceApi;
import org.openapitools.client.api.ModelsApi;
import org.openapitools.client.api.ServerApi;
import org.openapitools.client.model.Datatype;
import org.openapitools.client.model.InferenceRequest;
import org.openapitools.client.model.Input;
import org.openapitools.client.model.OnnxReverseSequence;

public class Infer {
    static final String MODEL = "onnx.ReverseSequence";
    static int checks, failures;

    static void equal(String what, Object expected, Object got) {
        checks++;
        if (!expected.equals(got)) {
            failures++;
            System.out.println("  FAILED: " + what + ": expected <" + expected + ">, got <" + got
                    + ">");
        }
    }

    static InferenceRequest question(List<Object> lens) {
        return new InferenceRequest(new OnnxReverseSequence()
                .addInputsItem(new Input().name("input").datatype(Datatype.FP32)
                        .shape(List.of(3, 2)).data(List.of(1, 2, 3, 4, 5, 6)))
                .addInputsItem(new Input().name("sequence_lens").datatype(Datatype.INT64)
                        .shape(List.of(2)).data(lens)));
    }

    static InferenceApi.APIInferRequest ask(String model, List<Object> lens) {
        return InferenceApi.APIInferRequest.newBuilder().model(model)
                .inferenceRequest(question(lens)).build();
    }

    static void refused(InferenceApi api, String model, List<Object> lens, int status, String text) {
        try {
            equal("refused", text, api.infer(ask(model, lens)));
        } catch (ApiException error) {
            equal("status", status, error.getCode());
            equal(error.getResponseBody(), true, error.getResponseBody().contains(text));
        }
    }

    public static void main(String[] arguments) throws Exception {
        var client = new ApiClient();
        client.updateBaseUri("http://" + arguments[0]);
        var api = new InferenceApi(client);
        equal("live", true, new ServerApi(client).live().getLive());
        equal("versions", List.of("10"), new ModelsApi(client)
                .metadata(ModelsApi.APIMetadataRequest.newBuilder().model(MODEL).build())
                .getVersions());
        var output = api.infer(ask(MODEL, List.of(3, 2))).getOutputs().get(0);
        equal("name", "Y", output.getName());
        equal("shape", List.of(3, 2), output.getShape());
        equal("data", "[5, 4, 3, 2, 1, 6]",
                output.getData().stream().map(v -> ((Number) v).intValue()).toList().toString());
        refused(api, MODEL, List.of(4, 0), 400, "sequence_lens[0] is 4");
        refused(api, "none", List.of(1, 1), 404, "Request for unknown model: 'none' ");
        System.out.println("  " + checks + " checks, " + failures + " failed");
        System.exit(failures > 0 ? 1 : 0);
    }
}
