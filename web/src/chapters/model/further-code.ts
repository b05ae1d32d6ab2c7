// The same training as a program: of the package, in Node.
import type { training } from '../../compute/opened/further-protocol';
import { pythonLiteral } from '../../figures/quoting';

/** JavaScript reads it as Python does. */
const literal = pythonLiteral;

export function furtherCode(text: string, prompt: string, settings: typeof training): string {
  const { batch, learningRate, warmup, steps, seed } = settings;
  return `// A model that is trained further on a text, as Tril's page does it: npm install tril.
import { writeFile } from 'node:fs/promises';
import { loadTril } from 'tril/training';

const text = ${literal(text)};
const tril = await loadTril();
const model = await tril.loadModel('models/gpt'); // the folder of the model
const trainer = tril.trainer({
  from: model,
  data: text,
  ...{ batch: ${batch}, learningRate: ${learningRate}, warmup: ${warmup}, steps: ${steps}, seed: ${seed} },
});
const losses = trainer.steps(${steps}).map(({ loss }) => loss);
console.log(\`the loss of a batch: \${losses[0]}, then \${losses.at(-1)}\`);
const prompt = ${literal(prompt)};
console.log(prompt + trainer.sample({ prompt, maxTokens: 40, temperature: 0 }));
for (const [name, bytes] of Object.entries(trainer.export())) await writeFile(name, bytes);
`;
}
