// Node's own http module: a kept connection, chunks, codings, HTTP/1.0's
// close, parameters, and what an error looks like.
// Usage: node_http.mjs ADDRESS
import assert from 'node:assert/strict';
import http from 'node:http';
import {gunzipSync, gzipSync} from 'node:zlib';

const [host, port] = process.argv[2].split(':');
const infer = (model) => `/v2/models/${model}/infer`;
const agent = new http.Agent({keepAlive: true, maxSockets: 1});
let checks = 0;

function equal(got, expected, what) {
  checks += 1;
  assert.deepEqual(got, expected, what);
}

// Sends `parts`, each as a chunk when there is no Content-Length.
function ask(method, path, {headers = {}, parts = [], via = agent} = {}) {
  return new Promise((done, failed) => {
    const request = http.request({host, port, method, path, headers, agent: via}, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('end', () => done({
        status: reply.statusCode, headers: reply.headers,
        body: Buffer.concat(pieces), reused: request.reusedSocket,
      }));
    });
    request.on('error', failed);
    for (const part of parts) request.write(part);
    request.end();
  });
}

// The oracle: each row of `rows` up to its length, in reverse order.
const reversed = (rows, lens) => rows.map((row, i) => [
  ...row.slice(0, lens[i]).reverse(), ...row.slice(lens[i])]);

const rows = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
const lens = [4, 0, 3];
const want = reversed(rows, lens).flat();

function question(datatype, data, more = {}) {
  return {inputs: [
    {name: 'data', datatype, shape: [3, 4], ...data},
    {name: 'seq_lengths', datatype: 'INT32', shape: [3], data: lens},
  ], ...more};
}

const arrays = {
  FP32: Float32Array, FP64: Float64Array, INT8: Int8Array, INT16: Int16Array,
  INT32: Int32Array, INT64: BigInt64Array, UINT8: Uint8Array,
  UINT16: Uint16Array, UINT32: Uint32Array, UINT64: BigUint64Array,
};

async function everyType() {
  const model = infer('openvino.ReverseSequence');
  for (const [datatype, Kind] of Object.entries(arrays)) {
    const values = rows.flat();
    const x = Kind.from(/64Array/.test(Kind.name) && datatype !== 'FP64' ?
      values.map(BigInt) : values);
    for (const binaryIn of [true, false]) {
      for (const binaryOut of [true, false]) {
        const what = `${datatype} ${binaryIn} ${binaryOut}`;
        const head = JSON.stringify(question(datatype, binaryIn ?
          {parameters: {binary_data_size: x.byteLength}} : {data: values},
        {outputs: [{name: 'output', parameters: {binary_data: binaryOut}}]}));
        const parts = binaryIn ? [head, Buffer.from(x.buffer)] : [head];
        const headers = binaryIn ?
          {'Inference-Header-Content-Length': Buffer.byteLength(head)} : {};
        const reply = await ask('POST', model, {parts, headers});
        equal(reply.status, 200, `${what}: ${reply.body}`);
        const size = Number(reply.headers['inference-header-content-length'] ??
          reply.body.length);
        const output = JSON.parse(reply.body.subarray(0, size)).outputs[0];
        equal([output.name, output.datatype, output.shape],
          ['output', datatype, [3, 4]], what);
        const got = binaryOut ?
          [...new Kind(new Uint8Array(reply.body.subarray(size)).buffer)].map(Number) :
          output.data;
        equal(got, want, what);
      }
    }
  }
}

async function codings() {
  const body = JSON.stringify(question('INT32', {data: rows.flat()}));
  const model = infer('openvino.ReverseSequence');
  for (const accept of ['gzip', 'deflate', 'identity']) {
    const reply = await ask('POST', model, {parts: [gzipSync(body)],
      headers: {'Content-Encoding': 'gzip', 'Accept-Encoding': accept}});
    const coding = reply.headers['content-encoding'];
    const plain = coding === 'gzip' ? gunzipSync(reply.body) : reply.body;
    equal(JSON.parse(plain).outputs[0].data, want, accept);
  }
  const refused = await ask('POST', model, {parts: [body],
    headers: {'Content-Encoding': 'br'}});
  equal([refused.status, refused.headers['accept-encoding']],
    [415, 'gzip, deflate']);
}

async function connections() {
  const model = infer('openvino.ReverseSequence');
  const body = JSON.stringify(question('INT32', {data: rows.flat()}, {id: 'a'}));
  const headers = {'Content-Length': Buffer.byteLength(body)};
  let reused = 0;
  for (let i = 0; i < 50; i++) {
    const reply = await ask('POST', model, {parts: [body], headers});
    equal([reply.status, JSON.parse(reply.body).id], [200, 'a']);
    reused += reply.reused;
  }
  equal(reused >= 49, true, `${reused} of 50 on a kept connection`);
  const wide = new http.Agent({keepAlive: true, maxSockets: 16});
  const all = await Promise.all(Array.from({length: 200}, (_, i) =>
    ask('POST', model, {parts: [body.replace('"a"', `"${i}"`)], via: wide})));
  all.forEach((reply, i) => equal([JSON.parse(reply.body).id,
    JSON.parse(reply.body).outputs[0].data], [String(i), want]));
  wide.destroy();
  const closed = await ask('POST', model, {parts: [body], via: false,
    headers: {...headers, Connection: 'close'}});
  equal([closed.status, closed.headers.connection], [200, 'close']);
  const waited = await ask('POST', model, {parts: [body],
    headers: {...headers, Expect: '100-continue'}});
  equal(JSON.parse(waited.body).outputs[0].data, want, '100-continue');
}

async function parameters() {
  const own = {content_type: 'np', 'test-param': 1, tags: ['a'], 'ü': {b: 1}};
  const taken = await ask('POST', infer('onnx.ReverseSequence'), {parts: [JSON.stringify({
    parameters: {...own, time_axis: 1, batch_axis: '0'},
    inputs: [
      {name: 'input', datatype: 'INT32', shape: [3, 4], data: rows, parameters: own},
      {name: 'sequence_lens', datatype: 'INT64', shape: [3, 1], data: lens,
        parameters: {content_type: 'np'}},
    ], outputs: [{name: 'Y', parameters: own}]})]});
  equal(JSON.parse(taken.body).outputs[0].data, want, String(taken.body));
  for (const [model, given, text] of [
    ['openvino.ReverseSequence', {seq_axes: 1}, 'seq_axes'],
    ['openvino.ReverseSequence', {time_axis: 1}, 'time_axis'],
    ['openvino.ReverseSequence', {seq_axis: 5}, 'seq_axis'],
  ]) {
    const reply = await ask('POST', infer(model), {parts: [JSON.stringify(
      question('INT32', {data: rows.flat()}, {parameters: given}))]});
    equal(reply.status, 400, String(reply.body));
    equal(JSON.parse(reply.body).error.includes(text), true, String(reply.body));
  }
}

async function routes() {
  for (const [path, expected] of [
    ['/v2/health/live', {live: true}], ['/v2/health/ready', {ready: true}],
    ['/v2/models/flip/ready', {name: 'flip', ready: true}],
  ]) {
    const reply = await ask('GET', path);
    equal(JSON.parse(reply.body), expected, path);
    const head = await ask('HEAD', path);
    equal([head.status, head.body.length, head.headers['content-length']],
      [200, 0, reply.headers['content-length']], path);
  }
  const model = JSON.parse((await ask('GET', '/v2/models/mirror')).body);
  equal([model.versions, model.inputs[0]],
    [['1'], {name: 'data', datatype: 'INT32', shape: [4, 6]}]);
  const none = await ask('GET', '/v2/models/none');
  equal([none.status, none.headers['content-type']], [404, 'application/json']);
  equal(JSON.parse(none.body).error.startsWith("Request for unknown model: 'none' "), true);
}

await everyType();
await codings();
await connections();
await parameters();
await routes();
agent.destroy();
console.log(`  ${checks} checks, 0 failed`);
