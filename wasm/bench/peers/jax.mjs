// jax-js, which trains in WebAssembly. It needs features that Node has from 22 on. Tokens are looked up by a product
// with one-hot rows, since its compiler has no gradient of a lookup: for a vocabulary of 4096 that is about 11 % more
// operations than are counted.

import {
  blockUntilReady,
  defaultDevice,
  grad,
  init,
  jit,
  nn,
  numpy as np,
  tree,
  valueAndGrad,
} from '@jax-js/jax';

export const name = 'jax-js';
export const groups = ['training', 'attention backward'];
const [rate, beta1, beta2, eps, decay, clip] = [1e-3, 0.9, 0.99, 1e-8, 0.1, 1];

export async function start() {
  await init('wasm');
  defaultDevice('wasm');
}

/** The parameters by GPT-2's names, as the trees of arrays that jax-js needs. */
function parametersOf({ layers, width, context, vocabulary }, arrays) {
  const array = (name, ...shape) => np.array(arrays[name]).reshape(shape);
  const norm = (at) => [array(`${at}.weight`, width), array(`${at}.bias`, width)];
  const linear = (at, rows, cols) => [array(`${at}.weight`, rows, cols), array(`${at}.bias`, cols)];
  const block = (_, n) => ({
    norms: [norm(`h.${n}.ln_1`), norm(`h.${n}.ln_2`)],
    attend: linear(`h.${n}.attn.c_attn`, width, 3 * width),
    project: linear(`h.${n}.attn.c_proj`, width, width),
    up: linear(`h.${n}.mlp.c_fc`, width, 4 * width),
    down: linear(`h.${n}.mlp.c_proj`, 4 * width, width),
  });
  return {
    tokens: array('wte.weight', vocabulary, width),
    positions: array('wpe.weight', context, width),
    norm: norm('ln_f'),
    blocks: Array.from({ length: layers }, block),
  };
}

const norm = (x, [weight, bias]) => nn.standardize(x).mul(weight).add(bias);
const linear = (x, [weight, bias]) => np.matmul(x, weight).add(bias);

/** In jax-js every function owns its arguments: `ref` keeps a value that is used again. */
function lossOf({ batch, context, heads, width, vocabulary }) {
  const split = (each) => each.reshape([batch, context, heads, width / heads]);
  return (parameters, tokens, targets) => {
    const embedding = np.matmul(nn.oneHot(tokens, vocabulary), parameters.tokens.ref);
    let x = embedding.add(parameters.positions);
    for (const { norms, attend, project, up, down } of parameters.blocks) {
      const [q, k, v] = np.split(linear(norm(x.ref, norms[0]), attend), 3, 2).map(split);
      const mixed = nn.dotProductAttention(q, k, v, { isCausal: true });
      x = x.add(linear(mixed.reshape([batch, context, width]), project));
      x = x.add(linear(nn.gelu(linear(norm(x.ref, norms[1]), up), { approximate: true }), down));
    }
    const logits = np.matmul(norm(x, parameters.norm), parameters.tokens.transpose());
    const picked = nn.logSoftmax(logits).mul(nn.oneHot(targets, vocabulary));
    return picked.sum().mul(-1 / (batch * context));
  };
}

/** Loss, norm of the gradient, then parameters and moments after one step of AdamW. */
function stepOf(about) {
  const gradients = valueAndGrad(lossOf(about));
  return jit((parameters, first, second, tokens, targets, scale1, scale2) => {
    const [loss, gradient] = gradients(tree.ref(parameters), tokens, targets);
    const squares = tree.leaves(tree.ref(gradient)).map((each) => np.square(each).sum());
    const length = np.sqrt(squares.reduce((sum, each) => sum.add(each)));
    const share = np.minimum(np.array(clip).div(length.ref), 1);
    const clipped = tree.map((each) => each.mul(share.ref), gradient);
    const blend = (old, next, beta) => old.mul(beta).add(next.mul(1 - beta));
    const first2 = tree.map((old, g) => blend(old, g, beta1), first, tree.ref(clipped));
    const second2 = tree.map((old, g) => blend(old, np.square(g), beta2), second, clipped);
    const move = (value, one, two) => {
      const step = one.mul(scale1.ref).div(np.sqrt(two.mul(scale2.ref)).add(eps));
      const kept = value.shape.length > 1 ? value.mul(1 - rate * decay) : value;
      return kept.sub(step.mul(rate));
    };
    const moved = tree.map(move, parameters, tree.ref(first2), tree.ref(second2));
    for (const each of [share, scale1, scale2]) each.dispose();
    return [loss, length, moved, first2, second2];
  });
}

/** Its gradients come with the forward pass, whose time is thus included. */
function openBackward({ heads, time, width }, { q, k, v, d_out }) {
  // [B, H, T, D] here, [B, T, H, D] there.
  const turned = (each) => np.transpose(each, [0, 2, 1, 3]);
  const given = [q, k, v, d_out].map((values) =>
    turned(np.array(values).reshape([1, heads, time, width])),
  );
  const loss = (query, key, value, d) =>
    nn.dotProductAttention(query, key, value, { isCausal: true }).mul(d).sum();
  const gradients = jit(grad(loss, { argnums: [0, 1, 2] }));
  const compute = async () => blockUntilReady(gradients(...given.map((each) => each.ref)));
  const read = async () => {
    const parts = await Promise.all((await compute()).map((each) => turned(each).data()));
    return Float32Array.from(parts.flatMap((part) => [...part]));
  };
  const run = async () => tree.dispose(await compute());
  const subject = `${name}: with its forward pass`;
  return [{ ...{ subject, run, read }, release: () => tree.dispose(given) }];
}

export async function open(about, arrays) {
  if (about.group === 'attention backward') return openBackward(about, arrays);
  const { batch, context } = about;
  const ids = (values) => np.array(values, { dtype: np.int32 }).reshape([batch, context]);
  const [tokens, targets] = [ids(arrays.tokens), ids(arrays.targets)];
  let parameters = parametersOf(about, arrays);
  let [first, second] = [0, 1].map(() =>
    tree.map((each) => np.zerosLike(each), tree.ref(parameters)),
  );
  const step = stepOf(about);
  let done = 0;
  const run = async () => {
    done += 1;
    const scales = [beta1, beta2].map((beta) => np.array(1 / (1 - beta ** done)));
    const [loss, length, ...next] = step(
      ...[parameters, first, second, tokens.ref, targets.ref, ...scales],
    );
    [parameters, first, second] = next;
    tree.dispose(await blockUntilReady(tree.ref(parameters)));
    return [(await loss.data())[0], (await length.data())[0]];
  };
  return [
    {
      ...{ subject: name, run },
      read: async () => Float32Array.from(await run()),
      release: () => tree.dispose([parameters, first, second, tokens, targets]),
    },
  ];
}
