// A training as a PyTorch program: the same initial weights, read from a file, the same batches, drawn again by their
// seeds, and the same steps.
import { heads, layers, training, width } from '../../compute/shared/training/born';
import {
  batchSize,
  length,
  seedsOf,
  tasks,
  vocabulary,
  type TaskId,
} from '../../compute/shared/training/tasks';
import { literal, pythonRandom } from '../../figures/code';

/** Name of the file with the weights before the first step. */
export const beginningName = (task: TaskId, seed: number): string =>
  `tril-${task}-${seed}-step-0.safetensors`;
export const endName = (task: TaskId, seed: number): string =>
  `tril-${task}-${seed}-step-${tasks[task].steps}.safetensors`;
/** Name of a head's animated picture; heads count from 0. */
export const birthName = (task: TaskId, seed: number, head: number): string =>
  `tril-${task}-${seed}-head-${head + 1}.gif`;

/** Number of first steps whose losses a program compares: rounding differences grow with each step. */
const compared = 10;

/** The part that needs only Python: the numbers of a seed (PCG32; O'Neill 2014), and the sequences made of them. */
function drawing(task: TaskId, seed: number): string {
  const { periods } = tasks[task];
  const made = periods
    ? `    period = ${periods[0]} + int(own[${vocabulary}] * ${periods[1] - periods[0] + 1})
    pattern = sorted(range(${vocabulary}), key=lambda id: (own[id], id))[:period]
    tokens = [pattern[t % period] for t in range(${length})]
    targets = [-100 if t < period else pattern[(t + 1) % period] for t in range(${length})]`
    : `    tokens = [int(one * ${vocabulary}) for one in own]
    targets = [-100] + tokens[:-1]`;
  return `${pythonRandom}
def sequence(own):
${made}
    return tokens, targets

def batch(step, count=${batchSize}, width=${periods ? vocabulary + 1 : length}):
    next = random(${seedsOf(seed).step(0)} + step)
    drawn = [next() for _ in range(count * width)]
    return [sequence(drawn[row * width:(row + 1) * width]) for row in range(count)]`;
}

/** `losses` are the page's, step by step. */
export function bornCode(task: TaskId, seed: number, losses: readonly number[]): string {
  const { steps } = tasks[task];
  const { learningRate, beta1, beta2 } = training;
  const some = losses.slice(0, compared);
  return `# Tril: ${task}, seed ${seed}: two layers of two heads learn, as on the page.
# The weights that it begins with are in ${beginningName(task, seed)}, which the page gives along.
${drawing(task, seed)}

import json
import torch
import torch.nn.functional as F

with open("${beginningName(task, seed)}", "rb") as file:
    header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    data = bytearray(file.read())
p = {}
for name, about in header.items():
    if name != "__metadata__":
        begin, end = about["data_offsets"]
        values = torch.frombuffer(data[begin:end], dtype=torch.float32).reshape(about["shape"])
        p[name] = values.clone().requires_grad_()

def norm(x, name):
    return F.layer_norm(x, x.shape[-1:], p[name + ".weight"])

hidden = torch.ones(${length}, ${length}).triu(1).bool()

def model(tokens):
    x = p["wte.weight"][tokens] + p["wpe.weight"]
    for at in [f"h.{layer}." for layer in range(${layers})]:
        q, k, v = (norm(x, at + "ln_1") @ p[at + "attn.c_attn.weight"]).split(${width}, dim=-1)
        q, k, v = [one.unflatten(-1, (${heads}, ${width / heads})).transpose(1, 2) for one in (q, k, v)]
        scores = (q @ k.transpose(2, 3) / ${width / heads} ** 0.5).masked_fill(hidden, -torch.inf)
        x = x + (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ p[at + "attn.c_proj.weight"]
        inner = F.gelu(norm(x, at + "ln_2") @ p[at + "mlp.c_fc.weight"], approximate="tanh")
        x = x + inner @ p[at + "mlp.c_proj.weight"]
    return norm(x, "ln_f") @ p["lm_head.weight"].T

optimizer = torch.optim.AdamW(
    p.values(), lr=${learningRate}, betas=(${beta1}, ${beta2}), eps=1e-8, weight_decay=0)
found = []
for step in range(${steps}):
    tokens, targets = (torch.tensor(part) for part in zip(*batch(step)))
    loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    found.append(loss.item())
    if step % 10 == 0:
        print(f"{step}: {loss.item():.4f}")

# What the page shows.
expected = [${some.map(literal).join(', ')}]
print("largest difference:", max(abs(a - b) for a, b in zip(found, expected)))
`;
}
