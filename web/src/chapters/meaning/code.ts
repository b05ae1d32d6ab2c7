// The figures as programs: NumPy that opens the very files, computes the same, and says how far its digits are from the page's.
import type { SensesView, WordsView } from '../../compute/meaning/protocol';
import { literal } from '../../figures/code';

/** Reads a .safetensors file, whatever of its types these have. */
const reader = `import json
import numpy as np

def arrays(name):
    data = open(name, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    types = {"F16": np.float16, "F32": np.float32}
    def array(about):
        begin, end = (8 + size + at for at in about["data_offsets"])
        return np.frombuffer(data[begin:end], types[about["dtype"]]).reshape(about["shape"]).astype(np.float32)
    return {key: array(about) for key, about in header.items() if key != "__metadata__"}, header.get("__metadata__")
`;

const compared = (numbers: readonly number[]) => `
# What the page shows.
expected = np.array([${numbers.map(literal).join(', ')}], dtype=np.float32)
print(f"largest difference: {np.abs(result - expected).max():.2g}")
`;

/** Neighbours of a word, by the vectors that the page loads: models/vectors/vectors.safetensors. */
export function wordsCode(view: WordsView) {
  if (view.neighbours.length === 0) return {};
  return {
    numpy: () => `${reader}
# The vectors that the page loads, from models/ beside it.
found, about = arrays("vectors.safetensors")
words = json.loads(about["words"])
vectors = found["vectors"]
unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
row = {word: i for i, word in enumerate(words)}
word = ${JSON.stringify(view.query.word)}
cosines = unit @ unit[row[word]]
nearest = [i for i in np.argsort(-cosines) if i != row[word]][:${view.neighbours.length}]
for i in nearest:
    print(f"{words[i]}: {cosines[i]:.4f}")
result = cosines[nearest]
${compared(view.neighbours.map(({ cosine }) => cosine))}`,
  };
}

export type { SensesView };
