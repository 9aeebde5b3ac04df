// One inference with what openapi-generator has generated for Go, and a refusal.
// Usage: go run . ADDRESS
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	flipd "github.com/GIT_USER_ID/GIT_REPO_ID"
)

const model = "onnx.ReverseSequence"

var checks, failed int

func equal(what string, expected, got any) {
	checks++
	if fmt.Sprint(expected) != fmt.Sprint(got) {
		failed++
		fmt.Printf("  FAILED: %s: expected <%v>, got <%v>\n", what, expected, got)
	}
}

func question(lens ...any) flipd.InferenceRequest {
	x := flipd.NewInput("input", flipd.FP32, []int32{3, 2})
	x.SetData([]any{1, 2, 3, 4, 5, 6})
	n := flipd.NewInput("sequence_lens", flipd.INT64, []int32{2})
	n.SetData(lens)
	ask := flipd.NewOnnxReverseSequence([]flipd.Input{*x, *n})
	return flipd.InferenceRequest{OnnxReverseSequence: ask}
}

func main() {
	configuration := flipd.NewConfiguration()
	configuration.Servers = flipd.ServerConfigurations{{URL: "http://" + os.Args[1]}}
	client := flipd.NewAPIClient(configuration)
	ctx := context.Background()
	live, _, err := client.ServerAPI.Live(ctx).Execute()
	equal("live", nil, err)
	equal("live", true, live.GetLive())
	metadata, _, err := client.ModelsAPI.Metadata(ctx, model).Execute()
	equal("metadata", nil, err)
	equal("versions", "[10]", metadata.GetVersions())
	answer, _, err := client.InferenceAPI.Infer(ctx, model).InferenceRequest(question(3, 2)).Execute()
	equal("infer", nil, err)
	output := answer.GetOutputs()[0]
	equal("answer", "Y [3 2] [5 4 3 2 1 6]",
		fmt.Sprint(output.GetName(), " ", output.GetShape(), " ", output.GetData()))
	for _, wrong := range []struct {
		model  string
		lens   []any
		status int
		text   string
	}{{model, []any{4, 0}, 400, "sequence_lens[0] is 4"},
		{"none", []any{1, 1}, 404, "Request for unknown model: 'none' "}} {
		_, reply, err := client.InferenceAPI.Infer(ctx, wrong.model).InferenceRequest(question(wrong.lens...)).Execute()
		equal(wrong.model, wrong.status, reply.StatusCode)
		body := ""
		if refusal, is := err.(*flipd.GenericOpenAPIError); is {
			body = string(refusal.Body())
		}
		equal(body, true, strings.Contains(body, wrong.text))
	}
	fmt.Printf("  %d checks, %d failed\n", checks, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
