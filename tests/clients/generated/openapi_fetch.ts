// One inference with the types of openapi-typescript and its client,
// openapi-fetch, and a refusal.
// Usage: node openapi_fetch.js ADDRESS
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type {paths} from './schema.d.ts';

const client = createClient<paths>({baseUrl: `http://${process.argv[2]}`});
const route = '/v2/models/{model}/infer';
let checks = 0;

function equal(got: unknown, expected: unknown, what?: string) {
  checks += 1;
  assert.deepEqual(got, expected, what);
}

const infer = (model: string, lens: number[]) => client.POST(route, {
  params: {path: {model}},
  body: {inputs: [
    {name: 'input', datatype: 'FP32', shape: [3, 2], data: [1, 2, 3, 4, 5, 6]},
    {name: 'sequence_lens', datatype: 'INT64', shape: [2], data: lens},
  ]},
});

async function main() {
  equal((await client.GET('/v2/health/live')).data, {live: true});
  const metadata = await client.GET('/v2/models/{model}', {
    params: {path: {model: 'onnx.ReverseSequence'}}});
  equal(metadata.data?.versions, ['10']);
  const {data} = await infer('onnx.ReverseSequence', [3, 2]);
  assert(typeof data === 'object'); // not the text of the binary form
  equal(data.outputs, [{name: 'Y', datatype: 'FP32', shape: [3, 2], data: [5, 4, 3, 2, 1, 6]}]);
  for (const [model, lens, status, text] of [
    ['onnx.ReverseSequence', [4, 0], 400, 'sequence_lens[0] is 4'],
    ['none', [1, 1], 404, "Request for unknown model: 'none' "],
  ] as const) {
    const {error, response} = await infer(model, [...lens]);
    equal(response.status, status);
    equal(error?.error.includes(text), true, error?.error);
  }
  console.log(`  ${checks} checks, 0 failed`);
}

main().catch((error) => {
  console.log(`  FAILED: ${error}`);
  process.exit(1);
});
