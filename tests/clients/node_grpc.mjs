// @grpc/grpc-js with flipd's .proto files, loaded as they are: unary calls,
// streams, metadata, statuses, deadlines, cancellation, many at once.
// Usage: node node_grpc.mjs FOLDER-OF-PACKAGES PROTO ADDRESS [CA]
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";

const [folder, proto, address, ca] = process.argv.slice(2);
const packages = createRequire(`${folder}/package.json`);
const grpc = packages("@grpc/grpc-js");
const loader = packages("@grpc/proto-loader");
const { inference } = grpc.loadPackageDefinition(loader.loadSync(proto, { longs: Number, defaults: true }));
const trust = ca ? grpc.credentials.createSsl(readFileSync(ca)) : grpc.credentials.createInsecure();
const client = new inference.GRPCInferenceService(address, trust, { "grpc.max_receive_message_length": -1 });
let checks = 0;
let failed = 0;

function equal(what, expected, got) {
  checks++;
  if (isDeepStrictEqual(expected, got)) return;
  failed++;
  console.log(`  FAILED: ${what}: expected <${JSON.stringify(expected)}>, got <${JSON.stringify(got)?.slice(0, 300)}>`);
}

// {error, reply, head} of one unary call.
function call(name, message, { metadata = new grpc.Metadata(), options = {}, act = () => {} } = {}) {
  return new Promise((done) => {
    let head;
    const under = client[name](message, metadata, options, (error, reply) => done({ error, reply, head }));
    under.on("metadata", (got) => (head = got));
    act(under);
  });
}

function int32(...values) {
  return Buffer.from(Int32Array.from(values).buffer);
}

function request(id, row, length, datatype = "INT32", count = row.length / 4) {
  return {
    modelName: "openvino.ReverseSequence",
    id,
    inputs: [
      { name: "data", datatype, shape: [1, count] },
      { name: "seq_lengths", datatype: "INT32", shape: [1] },
    ],
    rawInputContents: [row, int32(length)],
  };
}

async function calls() {
  equal("live", true, (await call("serverLive", {})).reply.live);
  equal("ready", true, (await call("serverReady", {})).reply.ready);
  equal("no model", false, (await call("modelReady", { name: "none" })).reply.ready);
  const about = (await call("modelMetadata", { name: "flip" })).reply;
  equal("metadata", [[-1, -1, 8], [-1]], about.inputs.map((one) => one.shape));
  const metadata = new grpc.Metadata();
  metadata.set("x-request-id", "node");
  const { head } = await call("serverMetadata", {}, { metadata });
  equal("metadata of a reply", ["node"], head.get("x-request-id"));
  const { error } = await call("modelMetadata", { name: "nön" });
  equal("no model: status", grpc.status.NOT_FOUND, error.code);
  equal("no model: text", true, error.details.startsWith("Request for unknown model: 'nön' "));
}

async function inferences() {
  const { reply } = await call("modelInfer", request("r", int32(1, 2, 3, 4), 3));
  equal("raw", [int32(3, 2, 1, 4)], reply.rawOutputContents);
  equal("id", "r", reply.id);
  const typed = request("c", int32(1, 2, 3, 4), 3);
  delete typed.rawInputContents;
  typed.inputs[0].contents = { intContents: [1, 2, 3, 4] };
  typed.inputs[1].contents = { intContents: [3] };
  typed.parameters = { seq_axis: { int64Param: 1 }, own: { stringParam: "ü" } };
  equal("contents", [int32(3, 2, 1, 4)], (await call("modelInfer", typed)).reply.rawOutputContents);
  const refused = (await call("modelInfer", request("w", int32(1, 2, 3, 4), 9))).error;
  equal("a length", [grpc.status.INVALID_ARGUMENT, true], [refused.code, refused.details.includes("seq_lengths[0] is 9")]);
  const zip = await call("modelInfer", request("z", Buffer.alloc(400000, 1), 100000), {
    options: {}, metadata: new grpc.Metadata() });
  equal("a row of 400 KB", true, zip.reply.rawOutputContents[0].equals(Buffer.alloc(400000, 1)));
}

async function large() {
  const row = Buffer.alloc(16 << 20);
  row[0] = 7;
  const message = request("l", row, row.length, "UINT8", row.length);
  const { reply } = await call("modelInfer", message);
  equal("16 MiB", 7, reply.rawOutputContents[0][row.length - 1]);
  const late = await call("modelInfer", message, { options: { deadline: Date.now() + 1 } });
  equal("a deadline", grpc.status.DEADLINE_EXCEEDED, late.error?.code);
  const gone = await call("modelInfer", message, { act: (under) => under.cancel() });
  equal("cancelled", grpc.status.CANCELLED, gone.error?.code);
}

async function atOnce() {
  const asked = Array.from({ length: 500 }, (_, i) => call("modelInfer", request(String(i), int32(i, 2, 3, 4), 4)));
  for (const [i, { reply }] of (await Promise.all(asked)).entries()) {
    equal(`at once ${i}`, [String(i), [int32(4, 3, 2, i)]], [reply.id, reply.rawOutputContents]);
  }
}

async function streams() {
  const stream = client.modelStreamInfer();
  for (let i = 0; i < 100; i++) stream.write(request(String(i), int32(1, 2, 3, 4), i % 7 ? 3 : 9));
  stream.end();
  let number = 0;
  for await (const reply of stream) {
    if (number % 7) equal(`in order ${number}`, String(number), reply.inferResponse.id);
    else equal("refused", true, reply.errorMessage.includes("seq_lengths[0] is 9"));
    number++;
  }
  equal("replies", 100, number);
}

await calls();
await inferences();
await large();
await atOnce();
await streams();
client.close();
console.log(`  ${checks} checks, ${failed} failed`);
process.exit(failed ? 1 : 0);
