// grpc-go with stubs that protoc made of flipd's .proto files: unary calls,
// streams, types, metadata, statuses, deadlines, gzip, many at once, large ones.
// Usage: go run . ADDRESS [CA]
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "example.org/flipd/grpc/inference"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const model = "openvino.ReverseSequence"

var (
	mutex   sync.Mutex
	checks  int
	failed  int
	whole   = context.Background()
	client  pb.GRPCInferenceServiceClient
	channel *grpc.ClientConn
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

func refused(what string, code codes.Code, text string, err error) {
	equal(what, code, status.Code(err))
	if err != nil && !strings.Contains(status.Convert(err).Message(), text) {
		equal(what, text, status.Convert(err).Message())
	}
}

func bytesOf(value any) []byte { return must(binary.Append(nil, binary.LittleEndian, value)) }

// request reverses the first `len` of one row.
func request(id string, datatype string, row any, count, length int64) *pb.ModelInferRequest {
	return &pb.ModelInferRequest{ModelName: model, Id: id,
		Inputs: []*pb.ModelInferRequest_InferInputTensor{
			{Name: "data", Datatype: datatype, Shape: []int64{1, count}},
			{Name: "seq_lengths", Datatype: "INT64", Shape: []int64{1}}},
		RawInputContents: [][]byte{bytesOf(row), bytesOf(length)}}
}

func everyType() {
	for datatype, pair := range map[string][2]any{
		"INT8": {[]int8{1, 2, 3, 4}, []int8{3, 2, 1, 4}}, "UINT8": {[]uint8{1, 2, 3, 4}, []uint8{3, 2, 1, 4}},
		"INT16": {[]int16{1, 2, 3, 4}, []int16{3, 2, 1, 4}}, "UINT16": {[]uint16{1, 2, 3, 4}, []uint16{3, 2, 1, 4}},
		"INT32": {[]int32{1, 2, 3, 4}, []int32{3, 2, 1, 4}}, "UINT32": {[]uint32{1, 2, 3, 4}, []uint32{3, 2, 1, 4}},
		"INT64": {[]int64{1, 2, 3, 4}, []int64{3, 2, 1, 4}}, "UINT64": {[]uint64{1, 2, 3, 4}, []uint64{3, 2, 1, 4}},
		"FP32": {[]float32{1, 2, 3, 4}, []float32{3, 2, 1, 4}}, "FP64": {[]float64{1, 2, 3, 4}, []float64{3, 2, 1, 4}},
		"BOOL": {[]bool{true, false, false, true}, []bool{false, false, true, true}}} {
		reply := must(client.ModelInfer(whole, request("t", datatype, pair[0], 4, 3)))
		equal(datatype, [][]byte{bytesOf(pair[1])}, reply.RawOutputContents)
		equal(datatype+": its name", datatype, reply.Outputs[0].Datatype)
	}
	contents := request("c", "INT32", []int32{}, 4, 3)
	contents.RawInputContents = nil
	contents.Inputs[0].Contents = &pb.InferTensorContents{IntContents: []int32{1, 2, 3, 4}}
	contents.Inputs[1].Contents = &pb.InferTensorContents{Int64Contents: []int64{3}}
	contents.Parameters = map[string]*pb.InferParameter{
		"seq_axis": {ParameterChoice: &pb.InferParameter_Int64Param{Int64Param: 1}},
		"own":      {ParameterChoice: &pb.InferParameter_StringParam{StringParam: "ü"}}}
	reply := must(client.ModelInfer(whole, contents))
	equal("contents", [][]byte{bytesOf([]int32{3, 2, 1, 4})}, reply.RawOutputContents)
}

func calls() {
	equal("live", true, must(client.ServerLive(whole, &pb.ServerLiveRequest{})).Live)
	equal("ready", true, must(client.ServerReady(whole, &pb.ServerReadyRequest{})).Ready)
	equal("a model", true, must(client.ModelReady(whole, &pb.ModelReadyRequest{Name: "flip"})).Ready)
	about := must(client.ModelMetadata(whole, &pb.ModelMetadataRequest{Name: "flip"}))
	equal("metadata", []int64{-1, -1, 8}, about.Inputs[0].Shape)
	health := must(grpc_health_v1.NewHealthClient(channel).Check(whole, &grpc_health_v1.HealthCheckRequest{}))
	equal("health", grpc_health_v1.HealthCheckResponse_SERVING, health.Status)
	_, err := client.ModelMetadata(whole, &pb.ModelMetadataRequest{Name: "none"})
	refused("no model", codes.NotFound, "Request for unknown model: 'none' ", err)
	_, err = client.RepositoryModelLoad(whole, &pb.RepositoryModelLoadRequest{ModelName: "flip"})
	refused("load", codes.Unimplemented, "--models FILE", err)
	var head metadata.MD
	must(client.ServerMetadata(metadata.AppendToOutgoingContext(whole, "x-request-id", "go"),
		&pb.ServerMetadataRequest{}, grpc.Header(&head)))
	equal("metadata of a reply", []string{"go"}, head.Get("x-request-id"))
	equal("its type", []string{"application/grpc"}, head.Get("content-type"))
}

func codings() {
	row := make([]int32, 100000)
	row[0] = 7
	reply := must(client.ModelInfer(whole, request("z", "INT32", row, 100000, 100000), grpc.UseCompressor("gzip")))
	row[0], row[99999] = 0, 7
	equal("gzip", [][]byte{bytesOf(row)}, reply.RawOutputContents)
}

// large messages need a limit of the client's own; the server needs none.
func large() {
	const count = 16 << 20
	row := make([]byte, count)
	row[0] = 7
	reply := must(client.ModelInfer(whole, request("l", "UINT8", row, count, count)))
	equal("16 MiB", byte(7), reply.RawOutputContents[0][count-1])
	_, err := client.ModelInfer(whole, request("l", "UINT8", row, count, count), grpc.MaxCallRecvMsgSize(4<<20))
	refused("16 MiB and the client's usual limit", codes.ResourceExhausted, "larger than max", err)
	short, cancel := context.WithTimeout(whole, time.Millisecond)
	defer cancel()
	_, err = client.ModelInfer(short, request("l", "UINT8", row, count, count))
	refused("a deadline", codes.DeadlineExceeded, "", err)
	gone, cancel := context.WithCancel(whole)
	time.AfterFunc(2*time.Millisecond, cancel)
	_, err = client.ModelInfer(gone, request("l", "UINT8", row, count, count))
	refused("cancelled", codes.Canceled, "", err)
}

func atOnce() {
	var all sync.WaitGroup
	for i := 0; i < 1000; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			row := []int32{int32(i), 2, 3, 4}
			reply := must(client.ModelInfer(whole, request(strconv.Itoa(i), "INT32", row, 4, 4)))
			equal("id", strconv.Itoa(i), reply.Id)
			equal("a goroutine's", [][]byte{bytesOf([]int32{4, 3, 2, int32(i)})}, reply.RawOutputContents)
		}()
	}
	all.Wait()
}

func streams() {
	stream := must(client.ModelStreamInfer(whole))
	go func() {
		for i := 0; i < 200; i++ {
			length := int64(3)
			if i%7 == 0 {
				length = 9
			}
			stream.Send(request(strconv.Itoa(i), "INT32", []int32{1, 2, 3, 4}, 4, length))
		}
		stream.CloseSend()
	}()
	for i := 0; i < 200; i++ {
		reply := must(stream.Recv())
		if i%7 == 0 {
			equal("refused", true, strings.Contains(reply.ErrorMessage, "seq_lengths[0] is 9"))
		} else {
			equal("in order", strconv.Itoa(i), reply.GetInferResponse().GetId())
		}
	}
	_, err := stream.Recv()
	equal("the end", io.EOF, err)
}

func main() {
	trust := insecure.NewCredentials()
	if len(os.Args) > 2 {
		trust = must(credentials.NewClientTLSFromFile(os.Args[2], ""))
	}
	channel = must(grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(trust),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second})))
	client = pb.NewGRPCInferenceServiceClient(channel)
	calls()
	everyType()
	codings()
	large()
	atOnce()
	streams()
	equal("the connection", connectivity.Ready, channel.GetState())
	fmt.Printf("  %d checks, %d failed\n", checks, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
