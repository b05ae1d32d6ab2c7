// The same digits by others: transformers reads the same folder, and says what this page says.
import type { ModelState } from '../../state/model';
import type { Shown } from './shown.svelte';

export function modelCode(shown: Shown, state: ModelState) {
  return { pytorch: () => torch(shown, state) };
}

function torch({ reading, next, sampling, seed, about }: Shown, { text }: ModelState): string {
  const own = reading.tokens.map(({ id }) => id).join(', ');
  const said = next.bars
    .slice(0, 5)
    .map(({ id, left }) => `(${id}, ${left})`)
    .join(', ');
  const lens = reading.lens.map((places) => places.at(-1)![0]);
  return `# ${JSON.stringify(text)}, and the token that comes next, as Tril shows it.
# "folder" has config.json, tokenizer.json and model.safetensors.
import torch
from transformers import AutoModelForCausalLM

folder = "gpt"
model = AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.float32).train(False)
tokens = torch.tensor([[${own}]])
with torch.no_grad():
    found = model(tokens, output_hidden_states=True)
logits = found.logits[0, -1]

# What it would say if it ended behind each of its ${about.shape.layers} blocks. The last hidden state is normed already.
body = model.base_model
norm = body.${about.shape.family === 'gpt2' ? 'ln_f' : 'norm'}
for block, hidden in enumerate(found.hidden_states[1:], 1):
    normed = hidden if block == len(found.hidden_states) - 1 else norm(hidden)
    shares = model.lm_head(normed)[0, -1].softmax(-1)
    print(block, int(shares.argmax()), float(shares.max()))
# Tril: ${lens.map(({ id, p }, i) => `${i + 1} ${id} ${p}`).join('; ')}

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

# The die: the first number of PCG32 with seed ${seed}. It falls where the shares, laid end to end, have come to it.
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
print(number, token, float(shares[token]))
expected = [${said}]
# Tril: ${next.number} ${next.drawn?.id ?? 'the text ends'}
print(max(abs(float(shares[id]) - share) for id, share in expected))
`;
}
