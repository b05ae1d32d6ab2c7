// The predictions of a small trained model after some letters, each time with other heads switched off.
import type { TrainingTril } from 'tril/training';
import { heads, layers, model, training, withoutHeads } from '../../shared/training/born';
import type { TrainingQuestions } from '../../shared/training/protocol';

type Recall = TrainingQuestions['recall'];

export async function recall(
  tril: TrainingTril,
  { weights, tokens, off }: Recall['ask'],
): Promise<Recall['answer']> {
  const arrays = await tril.readArrays(weights, 'model.safetensors');
  const trainer = tril.trainer({ model, ...training, steps: 1, seed: 1 });
  try {
    return tril.scope(() => {
      const known = trainer.parameters();
      const read = arrays.flatMap(({ name, tensor }) => (name in known ? [[name, tensor]] : []));
      const given = Object.fromEntries(read) as Record<string, (typeof arrays)[number]['tensor']>;
      trainer.setParameters(given);
      const chancesWithout = (off: readonly number[]) => {
        for (let layer = 0; layer < layers; ++layer) {
          const name = `h.${layer}.attn.c_proj.weight`;
          const isOff = (head: number) => off.includes(heads * layer + head);
          trainer.setParameters({ [name]: withoutHeads(tril, given[name], isOff) });
        }
        const { logits } = trainer.trace([...tokens]);
        const chances = tril.softmax(logits).read();
        return [...chances.subarray(chances.length - logits.shape.at(-1)!)];
      };
      return { chances: off.map(chancesWithout) };
    });
  } finally {
    arrays.forEach(({ tensor }) => tensor.dispose());
    trainer.dispose();
  }
}
