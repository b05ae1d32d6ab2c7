// The same training as a program for the package, in Node.
import { settingsOf, steps, type Adapter } from '../../compute/shared/opened/further-protocol';
import { pythonLiteral } from '../../figures/quoting';

/** JavaScript reads such literals as Python does. */
const literal = pythonLiteral;

export function furtherCode(text: string, prompt: string, lora: Adapter | null): string {
  const { batch, learningRate, warmup, seed, lora: adapter } = settingsOf(lora);
  const targets = adapter?.targets ? `, targets: ${literal(adapter.targets)}` : '';
  const from = adapter
    ? `from: model,
  lora: { rank: ${adapter.rank}${targets} }, // the model's own matrices stay as they are`
    : 'from: model,';
  const saved = adapter
    ? `await mkdir('adapter', { recursive: true }); // what PEFT opens
for (const [name, bytes] of Object.entries(trainer.exportAdapter())) await writeFile(\`adapter/\${name}\`, bytes);
`
    : '';
  return `// A model that is trained further on a text, as Tril's page does it: npm install tril.
import { ${adapter ? 'mkdir, ' : ''}writeFile } from 'node:fs/promises';
import { loadTril } from 'tril/training';

const text = ${literal(text)};
const tril = await loadTril();
const model = await tril.loadModel('models/gpt'); // the folder of the model
const trainer = tril.trainer({
  ${from}
  data: text,
  ...{ batch: ${batch}, learningRate: ${learningRate}, warmup: ${warmup}, steps: ${steps}, seed: ${seed} },
});
console.log(\`\${trainer.parameterCount} of \${model.parameters.count} numbers are trained\`);
const losses = trainer.steps(${steps}).map(({ loss }) => loss);
console.log(\`the loss of a batch: \${losses[0]}, then \${losses.at(-1)}\`);
const prompt = ${literal(prompt)};
console.log(prompt + trainer.sample({ prompt, maxTokens: 40, temperature: 0 }));
${saved}for (const [name, bytes] of Object.entries(trainer.export())) await writeFile(name, bytes);
`;
}
