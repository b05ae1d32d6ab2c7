// The senses of a word as a program: plain PyTorch that reads the encoder's folder, runs every sentence, and measures
// the separation of the two senses by layer.
import type { SensesView } from '../../compute/shared/meaning/protocol';
import { literal } from '../../figures/code';
import { decoderOf } from '../../figures/program-decoder';
import { pythonComment } from '../../figures/quoting';

const listed = (rows: readonly (readonly (number | readonly number[])[])[]) =>
  rows
    .map((row) => {
      const parts = row.map((one) =>
        typeof one === 'number' ? literal(one) : `[${one.join(', ')}]`,
      );
      return `    (${parts.join(', ')}),`;
    })
    .join('\n');

/** The program for a view whose senses could be measured. */
export function sensesCode({ query, paths, reads, separation }: SensesView): string {
  const sentences = paths.map(({ sense }, n) => {
    const { from, count, tokens } = reads[n];
    return [sense, from, count, tokens];
  });
  const shown = separation.map((one) => [one!.within, one!.across]);
  const about = `"${query.word}" in ${paths.length} sentences, layer by layer, as Tril shows it`;
  return `${pythonComment(`${about}: in plain PyTorch.`)}
# The folder has config.json and model.safetensors; the page's own is models/encoder beside it.
${decoderOf('llama', 'encoder')}
# Of each sentence: its sense by the words nearby, 0 or 1, or -1 for neither; where the word's tokens begin, how many they are;
# and all tokens, by tokenizer.json of the same folder.
sentences = [
${listed(sentences)}
]
senses = torch.tensor([sense for sense, *_ in sentences])

def places(begin, count, tokens):
    """Where the word stands in its sentence: as embedded, and after every layer, [layers + 1, C], each of length 1."""
    tokens = torch.tensor(tokens)
    streams, _ = run(tokens)
    rows = torch.stack([stream[begin:begin + count].mean(0) for stream in [embedded(tokens), *streams]])
    return rows / rows.norm(dim=-1, keepdim=True)

# Every occurrence's vector, by layer: [layers + 1, N, C].
vectors = torch.stack([places(*rest) for _, *rest in sentences], dim=1)

def separation(rows):
    """The mean cosine of two of one sense, and of two of different ones; how many are nearer to their own sense."""
    cosines = rows @ rows.T
    within, across, nearer = 0, 0, 0
    for sense in (0, 1):
        own, other = senses == sense, senses == 1 - sense
        # Not with itself, which is 1.
        to_own = (cosines[own][:, own].sum(1) - 1) / (own.sum() - 1)
        to_other = cosines[own][:, other].mean(1)
        within += to_own.mean() / 2
        across += to_other.mean() / 2
        nearer += int((to_own > to_other).sum())
    return float(within), float(across), nearer

result = []
for layer, rows in enumerate(vectors):
    within, across, nearer = separation(rows)
    result.append((within, across))
    print(f"after {layer} layers: within {within:.4f}, across {across:.4f}, {nearer} nearer to their own sense")

# What the page shows. Of each layer, from none on: within a sense, and across.
expected = [
${listed(shown)}
]
print(f"largest difference: {(torch.tensor(result) - torch.tensor(expected)).abs().max():.2g}")
`;
}
