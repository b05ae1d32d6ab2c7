// The figure as a program: NumPy that opens the same file, computes the same, and prints the difference from the page's
// digits.
import type { WordsView } from '../../compute/shared/meaning/protocol';
import { literal } from '../../figures/code';
import { pythonLiteral } from '../../figures/quoting';

const listed = (numbers: readonly number[]) => numbers.map(literal).join(', ');

/** The coordinates of the map, [N, 2]. */
function mapOf({ query, map }: WordsView): string {
  if (map.length === 0) return 'places = np.zeros((0, 2))';
  const words = pythonLiteral(map.map(({ word }) => word));
  const rows = `rows = unit[[row[one] for one in ${words}]]`;
  if (query.axes) {
    return `# Where words stand along two directions, each from one word to another.
${rows}
def direction(to, away):
    step = unit[row[to]] - unit[row[away]]
    return step / np.linalg.norm(step)
places = np.stack([rows @ direction(*pair) for pair in ${pythonLiteral(query.axes)}], axis=1)`;
  }
  return `# The map: the two directions in which these words differ most. The sign of each axis is arbitrary.
${rows}
middle = rows - rows.mean(axis=0)
_, singular, directions = np.linalg.svd(middle, full_matrices=False)
print(f"the axes hold {(singular[:2] ** 2).sum() / (singular ** 2).sum():.4f} of it")
places = middle @ directions[:2].T
places *= np.sign((places * shown_places).sum(axis=0))`;
}

/** Neighbours, analogies and the map, from the vectors that the page loads: models/vectors/vectors.safetensors. */
export function wordsCode(view: WordsView): string {
  const { query, neighbours, map, analogies } = view;
  const asked = query.analogies.filter((_, i) => analogies[i] !== null);
  const answers = analogies.filter((one) => one !== null);
  return `import json
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

# The vectors that the page loads, from models/ beside it.
found, about = arrays("vectors.safetensors")
words = json.loads(about["words"])
vectors = found["vectors"]
unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
row = {word: i for i, word in enumerate(words)}

def nearest(vector, without, count):
    cosines = unit @ (vector / np.linalg.norm(vector))
    best = [i for i in np.argsort(-cosines) if words[i] not in without][:count]
    print(", ".join(f"{words[i]} {cosines[i]:.4f}" for i in best))
    return cosines[best]

word = ${pythonLiteral(query.word)}
print(f"near {word}:")
near = nearest(unit[row[word]], [word], ${neighbours.length})

# a is to b as c is to: what is nearest to b - a + c, without the three.
guessed = []
for a, b, c in ${pythonLiteral(asked)}:
    print(f"{a} is to {b} as {c} is to:")
    guessed.append(nearest(unit[row[b]] - unit[row[a]] + unit[row[c]], [a, b, c], ${answers[0]?.length ?? 0}))

shown_places = np.array([${listed(map.flatMap(({ x, y }) => [x, y]))}]).reshape(-1, 2)
${mapOf(view)}
result = np.concatenate([near, *guessed, places.ravel()])

# What the page shows.
expected = np.concatenate([np.array([${listed([...neighbours, ...answers.flat()].map(({ cosine }) => cosine))}]), shown_places.ravel()])
print(f"largest difference: {np.abs(result - expected).max():.2g}")
`;
}
