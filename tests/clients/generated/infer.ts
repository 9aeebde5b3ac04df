// One inference with what openapi-generator has generated for TypeScript's
// fetch, and a refusal.
// Usage: node infer.js ADDRESS
import assert from 'node:assert/strict';
import {Configuration, Datatype, InferenceApi, ModelsApi, ResponseError, ServerApi} from './client';

const model = 'onnx.ReverseSequence';
const configuration = new Configuration({basePath: `http://${process.argv[2]}`});
const api = new InferenceApi(configuration);
let checks = 0;

function equal(got: unknown, expected: unknown, what?: string) {
  checks += 1;
  assert.deepEqual(got, expected, what);
}

const question = (lens: number[]) => ({inputs: [
  {name: 'input', datatype: Datatype.Fp32, shape: [3, 2], data: [1, 2, 3, 4, 5, 6]},
  {name: 'sequence_lens', datatype: Datatype.Int64, shape: [2], data: lens},
]});

async function refused(name: string, lens: number[], status: number, text: string) {
  try {
    await api.infer({model: name, inferenceRequest: question(lens)});
    assert.fail('not refused');
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    equal(error.response.status, status);
    const body = await error.response.json() as {error: string};
    equal(body.error.includes(text), true, body.error);
  }
}

async function main() {
  equal((await new ServerApi(configuration).live({})).live, true);
  equal((await new ModelsApi(configuration).metadata({model})).versions, ['10']);
  const [output] = (await api.infer({model, inferenceRequest: question([3, 2])})).outputs;
  equal([output.name, output.shape, output.data], ['Y', [3, 2], [5, 4, 3, 2, 1, 6]]);
  await refused(model, [4, 0], 400, 'sequence_lens[0] is 4');
  await refused('none', [1, 1], 404, "Request for unknown model: 'none' ");
  console.log(`  ${checks} checks, 0 failed`);
}

main().catch((error) => {
  console.log(`  FAILED: ${error}`);
  process.exit(1);
});
