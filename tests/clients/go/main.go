// Go's net/http: JSON, bytes, both ways, in goroutines, in chunks, compressed.
// Usage: go run . ADDRESS [https]
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

type tensor struct {
	Name       string         `json:"name"`
	Datatype   string         `json:"datatype,omitempty"`
	Shape      []int64        `json:"shape,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Data       any            `json:"data,omitempty"`
}

type document struct {
	ID         string         `json:"id,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Inputs     []tensor       `json:"inputs"`
	Outputs    []tensor       `json:"outputs,omitempty"`
}

type answer struct {
	ModelName    string `json:"model_name"`
	ModelVersion string `json:"model_version"`
	ID           string `json:"id"`
	Error        string `json:"error"`
	Outputs      []struct {
		Name       string           `json:"name"`
		Datatype   string           `json:"datatype"`
		Shape      []int64          `json:"shape"`
		Parameters map[string]int64 `json:"parameters"`
		Data       json.RawMessage  `json:"data"`
	} `json:"outputs"`
}

const infer = "/v2/models/openvino.ReverseSequence/infer"

var (
	url    string
	client = &http.Client{Timeout: 30 * time.Second}
	mutex  sync.Mutex
	checks int
	failed int
	lens   = []int64{4, 0, 3}
)

func equal(what string, expected, got any) {
	mutex.Lock()
	defer mutex.Unlock()
	checks++
	if !reflect.DeepEqual(expected, got) {
		failed++
		fmt.Printf("  FAILED: %s: expected <%v>, got <%v>\n", what, expected, got)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("  FAILED:", err)
		os.Exit(1)
	}
	return value
}

func send(method, path string, body io.Reader, header map[string]string) (*http.Response, []byte) {
	request := must(http.NewRequest(method, url+path, body))
	for name, value := range header {
		request.Header.Set(name, value)
	}
	reply := must(client.Do(request))
	defer reply.Body.Close()
	return reply, must(io.ReadAll(reply.Body))
}

// values returns 0 to 11 in a slice of its type, and the same with each row of
// 4 up to its length in reverse order.
func values[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](add int) (x, y []T) {
	for i := 0; i < 12; i++ {
		x = append(x, T(i+add))
	}
	y = append(y, x...)
	for row, n := range lens {
		for j := int64(0); j < n; j++ {
			y[int64(row*4)+j] = x[int64(row*4)+n-1-j]
		}
	}
	return
}

func question(datatype string, x tensor) document {
	x.Name, x.Datatype, x.Shape = "data", datatype, []int64{3, 4}
	return document{Inputs: []tensor{x, {Name: "seq_lengths", Datatype: "INT64",
		Shape: []int64{3}, Data: lens}}}
}

func everyForm[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](datatype string) {
	x, y := values[T](0)
	for _, in := range []bool{true, false} {
		for _, out := range []bool{true, false} {
			what := fmt.Sprint(datatype, " ", in, out)
			input := tensor{}
			if in {
				input.Parameters = map[string]any{"binary_data_size": binary.Size(x)}
			} else {
				var list []float64 // a []uint8 would become base64
				for _, v := range x {
					list = append(list, float64(v))
				}
				input.Data = list
			}
			ask := question(datatype, input)
			ask.Outputs = []tensor{{Name: "output", Parameters: map[string]any{"binary_data": out}}}
			head := must(json.Marshal(ask))
			body := bytes.NewBuffer(head)
			header := map[string]string{"Inference-Header-Content-Length": strconv.Itoa(len(head))}
			if in {
				binary.Write(body, binary.LittleEndian, x)
			}
			reply, got := send("POST", infer, body, header)
			equal(what+": "+string(got), 200, reply.StatusCode)
			size := len(got)
			if out {
				size = must(strconv.Atoi(reply.Header.Get("Inference-Header-Content-Length")))
			}
			var a answer
			must(0, json.Unmarshal(got[:size], &a))
			equal(what, []any{"output", datatype, []int64{3, 4}},
				[]any{a.Outputs[0].Name, a.Outputs[0].Datatype, a.Outputs[0].Shape})
			z := make([]T, 12)
			if out {
				equal(what, int64(binary.Size(x)), a.Outputs[0].Parameters["binary_data_size"])
				must(0, binary.Read(bytes.NewReader(got[size:]), binary.LittleEndian, z))
			} else {
				var list []float64
				must(0, json.Unmarshal(a.Outputs[0].Data, &list))
				for i, v := range list {
					z[i] = T(v)
				}
			}
			equal(what, y, z)
		}
	}
}

func ints(got []byte) (list []int32) {
	var a answer
	must(0, json.Unmarshal(got, &a))
	if len(a.Outputs) == 1 {
		must(0, json.Unmarshal(a.Outputs[0].Data, &list))
	}
	return
}

// A reader whose length net/http cannot know, so it sends chunks.
type unknown struct{ io.Reader }

func codings() {
	x, y := values[int32](0)
	plain := must(json.Marshal(question("INT32", tensor{Data: x})))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(plain)
	z.Close()
	_, got := send("POST", infer, &packed, map[string]string{"Content-Encoding": "gzip"})
	equal("gzip", y, ints(got))
	_, got = send("POST", infer, unknown{bytes.NewReader(plain)}, nil)
	equal("chunks", y, ints(got))
	// net/http offers gzip by itself, and unpacks what comes.
	wide := make([]int32, 100000)
	wide[0] = 7
	reply, got := send("POST", infer, bytes.NewReader(must(json.Marshal(document{Inputs: []tensor{
		{Name: "data", Datatype: "INT32", Shape: []int64{1, 100000}, Data: wide},
		{Name: "seq_lengths", Datatype: "INT32", Shape: []int64{1}, Data: []int{100000}}}}))), nil)
	wide[0], wide[99999] = 0, 7
	equal("unpacked by net/http", true, reply.Uncompressed)
	equal("a large answer", wide, ints(got))
	reply, _ = send("POST", infer, bytes.NewReader(plain), map[string]string{"Content-Encoding": "br"})
	equal("br", 415, reply.StatusCode)
}

func atOnce() {
	var all sync.WaitGroup
	for i := 0; i < 200; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			x, y := values[int32](i)
			ask := question("INT32", tensor{Data: x})
			ask.ID = strconv.Itoa(i)
			_, got := send("POST", infer, bytes.NewReader(must(json.Marshal(ask))), nil)
			var a answer
			must(0, json.Unmarshal(got, &a))
			equal("id", ask.ID, a.ID)
			equal("goroutine "+ask.ID, y, ints(got))
		}(i)
	}
	all.Wait()
}

func parameters() {
	x, y := values[int32](0)
	own := map[string]any{"content_type": "np", "test-param": 1, "tags": []string{"a"}}
	ask := question("INT32", tensor{Data: x, Parameters: own})
	ask.Parameters = own
	ask.Outputs = []tensor{{Name: "output", Parameters: own}}
	_, got := send("POST", infer, bytes.NewReader(must(json.Marshal(ask))), nil)
	equal("keys of one's own", y, ints(got))
	for _, wrong := range []string{"seq_axes", "time_axis", "triton_x"} {
		ask.Parameters = map[string]any{wrong: 1}
		reply, got := send("POST", infer, bytes.NewReader(must(json.Marshal(ask))), nil)
		var a answer
		must(0, json.Unmarshal(got, &a))
		equal(wrong, 400, reply.StatusCode)
		equal(a.Error, true, strings.Contains(a.Error, wrong))
	}
}

func routes() {
	for path, want := range map[string]string{
		"/v2/health/live": `{"live":true}`, "/v2/health/ready": `{"ready":true}`,
		"/v2/models/flip/ready": `{"name":"flip","ready":true}`} {
		_, got := send("GET", path, nil, nil)
		equal(path, want, string(got))
		reply, got := send("HEAD", path, nil, nil)
		equal("HEAD", []any{200, 0, int64(len(want))},
			[]any{reply.StatusCode, len(got), reply.ContentLength})
	}
	reply, got := send("GET", "/v2/models/none", nil, nil)
	var a answer
	must(0, json.Unmarshal(got, &a))
	equal("no model", []any{404, "application/json"},
		[]any{reply.StatusCode, reply.Header.Get("Content-Type")})
	equal(a.Error, true, strings.HasPrefix(a.Error, "Request for unknown model: 'none' "))
	_, got = send("POST", "/v2/repository/index", nil, nil)
	equal("index", true, strings.Contains(string(got), `"name":"flip"`))
}

func main() {
	scheme := "http"
	if len(os.Args) > 2 {
		scheme = os.Args[2]
	}
	url = scheme + "://" + os.Args[1]
	everyForm[float32]("FP32")
	everyForm[float64]("FP64")
	everyForm[int8]("INT8")
	everyForm[int16]("INT16")
	everyForm[int32]("INT32")
	everyForm[int64]("INT64")
	everyForm[uint8]("UINT8")
	everyForm[uint16]("UINT16")
	everyForm[uint32]("UINT32")
	everyForm[uint64]("UINT64")
	codings()
	atOnce()
	parameters()
	routes()
	fmt.Printf("  %d checks, %d failed\n", checks, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
