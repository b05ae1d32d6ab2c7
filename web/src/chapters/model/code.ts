// The same digits with plain PyTorch: it reads the same folder, runs the model line by line, and prints the difference
// from the numbers on the page.
import type { About, Next, Reading, Sampling } from '../../compute/shared/opened/protocol';
import { literal } from '../../figures/code';
import { pythonComment, pythonLiteral } from '../../figures/quoting';
import type { ModelState } from '../../state/model';
import { decoderOf } from '../../figures/program-decoder';

/** Rows of numbers: for a tile its guess, for a head its largest weight, for a bar the share after the cuts. */
const listed = (numbers: readonly (readonly number[])[]) =>
  numbers.map((one) => `(${one.map(literal).join(', ')})`).join(', ');

/** The data of the figure. */
interface Shown {
  readonly reading: Pick<Reading, 'tokens' | 'lens' | 'looks'>;
  readonly next: Next;
  readonly sampling: Sampling;
  /** Seed of the next token. */
  readonly seed: number;
  readonly about: About;
  readonly off: readonly string[];
}

export function modelCode(shown: Shown, { text }: ModelState): string {
  const { reading, next, sampling, seed, about, off } = shown;
  const tiles = reading.lens.flatMap((places, block) =>
    places.map(([best], place) => [block, place, best.id, best.p]),
  );
  const looks = reading.looks.flatMap((places, block) =>
    places.at(-1)!.map(({ to, weight }, head) => [block, head, to, weight]),
  );
  const left = next.bars.map((bar) => [bar.id, bar.left]);
  return `${pythonComment(`"${text}", and the token that comes next, as Tril shows it: in plain PyTorch.`)}
# The folder has config.json and model.safetensors; the page's own is models/gpt beside it.
${decoderOf(about.shape.family)}
# Parts that are off, from 1 as the page counts: "2h3" is head 3 of block 2, "2a" its attention, "2f" its feed-forward, "2" all of it.
off = ${pythonLiteral(off)}
tokens = torch.tensor([${reading.tokens.map(({ id }) => id).join(', ')}])
streams, looked = run(tokens, off)

# What it would say if it ended after each block, token by token.
lens = [said(stream).softmax(-1) for stream in streams]
logits = said(streams[-1])[-1]

temperature, top_k, top_p, min_p = ${sampling.temperature}, ${sampling.topK}, ${sampling.topP}, ${sampling.minP}
if temperature == 0:
    shares = torch.zeros_like(logits)
    shares[logits.argmax()] = 1
else:
    shares = (logits / temperature).softmax(-1)
    if top_k > 0:
        least = shares.topk(min(top_k, len(shares))).values[-1]
        shares = torch.where(shares >= least, shares, 0)
        shares = shares / shares.sum()
    if top_p < 1:
        falling = shares.sort(descending=True).values
        count = int((falling.cumsum(0) < top_p).sum()) + 1
        shares = torch.where(shares >= falling[min(count, len(falling)) - 1], shares, 0)
        shares = shares / shares.sum()
    shares = torch.where(shares >= min_p * shares.max(), shares, 0)
    shares = shares / shares.sum()

# The die: the first random number of PCG32 with seed ${seed}. The token is the first whose cumulative probability exceeds it.
def die(seed):
    state, mask = 0, 2**64 - 1
    for add in (seed, 0, None):
        old, state = state, (state * 6364136223846793005 + 1442695040888963407) & mask
        if add is not None:
            state = (state + add) & mask
    mixed, turn = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF, old >> 59
    bits = ((mixed >> turn) | (mixed << (-turn & 31))) & 0xFFFFFFFF
    return (bits >> 8) / 2**24

number = die(${seed})
token = int((shares.double().cumsum(0) <= number).sum())
print(f"the die: {number}, token {token}")
# Tril: ${next.number === null ? 'no die is cast' : literal(next.number)}, token ${next.drawn?.id ?? 'none: the text ends'}

# What the page shows. Of each tile: block, token, and its likeliest next token with its probability.
tiles = [${listed(tiles)}]
# Of each head, for the last token: block, head, where it looks most, and with which weight.
looks = [${listed(looks)}]
# Of the next token, after temperature and cuts.
left = [${listed(left)}]
differences = {
    "tiles": [lens[block][place, token] - p for block, place, token, p in tiles],
    "heads": [looked[block][head, -1, to] - weight for block, head, to, weight in looks],
    "next token": [shares[token] - share for token, share in left],
}
for name, found in differences.items():
    print(f"{name}: {max(abs(float(one)) for one in found):.2g} apart")
print(f"largest difference: {max(abs(float(one)) for found in differences.values() for one in found):.2g}")
`;
}
