// Node's fetch, as a page or a service would use it.
// Usage: fetch.mjs ADDRESS [https]
import assert from 'node:assert/strict';

const url = `${process.argv[3] ?? 'http'}://${process.argv[2]}`;
const infer = `${url}/v2/models/onnx.ReverseSequence/infer`;
const x = new Float32Array([0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
const lens = new BigInt64Array([4n, 3n, 2n, 1n]);
const want = [3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15];
let checks = 0;

function equal(got, expected, what) {
  checks += 1;
  assert.deepEqual(got, expected, what);
}

function question(form, more = {}) {
  return JSON.stringify({
    inputs: [
      {name: 'input', datatype: 'FP32', shape: [4, 4], ...form(x)},
      {name: 'sequence_lens', datatype: 'INT64', shape: [4], ...form(lens)},
    ], ...more,
  });
}

const inJson = (array) => ({data: [...array].map(Number)});
const inBytes = (array) => ({parameters: {binary_data_size: array.byteLength}});

async function json() {
  const reply = await fetch(infer, {method: 'POST', body: question(inJson)});
  equal(reply.status, 200);
  equal(reply.headers.get('content-type'), 'application/json');
  equal((await reply.json()).outputs[0].data, want);
}

async function binary(body, head) {
  const reply = await fetch(infer, {
    method: 'POST', body, duplex: 'half',
    headers: {'Inference-Header-Content-Length': String(head.length)},
  });
  const bytes = await reply.arrayBuffer();
  equal(reply.status, 200, Buffer.from(bytes).toString());
  equal(reply.headers.get('content-encoding'), null);
  const size = Number(reply.headers.get('inference-header-content-length'));
  equal([...new Float32Array(bytes.slice(size))], want);
}

async function refused() {
  const reply = await fetch(infer, {method: 'POST', body: '{"inputs": 1}'});
  equal(reply.status, 400);
  equal(Object.keys(await reply.json()), ['error']);
  const none = await fetch(infer, {method: 'POST'});
  equal(none.status, 400, 'no body at all');
  const wrong = await fetch(infer, {method: 'DELETE'});
  equal([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
}

await json();
const head = Buffer.from(question(inBytes,
  {parameters: {binary_data_output: true}}));
const whole = [head, Buffer.from(x.buffer), Buffer.from(lens.buffer)];
await binary(Buffer.concat(whole), head);
await binary(new Blob(whole), head);
// A stream goes out in chunks.
await binary(ReadableStream.from(whole), head);
await Promise.all(Array.from({length: 100}, json));
await refused();
const index = await fetch(`${url}/v2/repository/index`, {method: 'POST'});
equal((await index.json()).some(({name}) => name === 'flip'), true);
console.log(`  ${checks} checks, 0 failed`);
