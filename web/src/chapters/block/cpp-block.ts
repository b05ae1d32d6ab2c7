// The block of chapter "Block" in C++, from x to out: one call of the core where it is a whole block,
// else put together from its layers.
import type { BlockAsk } from '../../compute/worker/lessons/block';
import type { Cpp } from '../../figures/program-cpp';
import { activationIds } from '../../state/block';

type Form = Pick<BlockAsk, 'norm' | 'activation' | 'causal' | 'off' | 'positions'>;
export const isWhole = ({ off, positions }: Form) => off.length === 0 && positions !== 'rotary';

const enumerator = (form: Form) =>
  `tril::Activation::${activationIds.find((id) => id === form.activation) ?? 'relu'}`;

/** Makes `out` of `x`: T tokens of width 8, two heads. */
export function cppBlock(c: Cpp, form: Form, tokens: number): string {
  const made = c.matrices({ out: [tokens, 8] });
  return `${made}\n${isWhole(form) ? wholeBlock(form, tokens) : parts(c, form, tokens)}`;
}

const wholeBlock = (form: Form, tokens: number) => `tril::transformer_block(
    {x.data(), {1, ${tokens}, 8}},
    {.self_attn = {.in_proj_weight = W, .out_proj_weight = W_O}, .linear1 = {.weight = W_1}, .linear2 = {.weight = W_2}},
    {.heads = 2, .norm = tril::NormOrder::${form.norm}, .activation = ${enumerator(form)}, .attention = {.causal = ${form.causal}}},
    {out.data(), {1, ${tokens}, 8}});`;

function parts(c: Cpp, form: Form, tokens: number): string {
  const on = (part: Form['off'][number]) => !form.off.includes(part);
  const pre = form.norm === 'pre';
  const norm = (from: string, to: string) => `tril::layer_norm(${from}, {}, {}, {}, ${to});`;
  const lines = [c.matrices({ normed: [tokens, 8], y: [tokens, 8] })];
  const input = (part: 'norm1' | 'norm2', from: string) => {
    if (!pre || !on(part)) return from;
    lines.push(norm(from, 'normed'));
    return 'normed';
  };
  if (on('attention')) lines.push(attention(form, tokens, input('norm1', 'x')));
  if (on('residual1')) lines.push('tril::add(x, y, y);');
  if (!pre && on('norm1')) lines.push(norm('y', 'y'));
  if (on('feedForward')) {
    const from = input('norm2', 'y');
    lines.push(`tril::feed_forward(${from}, {.linear1 = {.weight = W_1}, .linear2 = {.weight = W_2}},
                   ${enumerator(form)}, out);`);
  }
  if (on('residual2')) lines.push('tril::add(y, out, out);');
  if (!pre && on('norm2')) lines.push(norm('out', 'out'));
  return lines.join('\n');
}

function attention({ causal, positions }: Form, tokens: number, from: string): string {
  if (positions !== 'rotary') {
    return `tril::multi_head_attention({${from}.data(), {1, ${tokens}, 8}}, {.in_proj_weight = W, .out_proj_weight = W_O},
                           {.heads = 2, .attention = {.causal = ${causal}}}, {y.data(), {1, ${tokens}, 8}});`;
  }
  return `// Queries and keys are turned between the projections and the attention.
tril::Buffer<float, 2> packed({${tokens}, 24}), joined({${tokens}, 8}), cosine({${tokens}, 2}), sine({${tokens}, 2});
tril::linear(${from}, W, {}, packed);
tril::Buffer<std::int32_t, 1> places({${tokens}});
for (std::int32_t t = 0; t < ${tokens}; ++t) places.view()[t] = t;
tril::rotary_angles(places, 10000, cosine, sine);
const auto heads = [](float* data, tril::Index width) {  // [1, H, T, D] of [T, H * D]
  return tril::TensorView<float, 4>(data, {1, 2, ${tokens}, 4}, {${tokens} * width, 4, width, 1});
};
const auto q = heads(packed.data(), 24), k = heads(packed.data() + 8, 24), v = heads(packed.data() + 16, 24);
for (const auto& one : {q, k}) {
  tril::rotary_positions(one, {cosine.data(), {1, ${tokens}, 2}}, {sine.data(), {1, ${tokens}, 2}},
                         tril::RotaryPairs::halves, one);
}
tril::attention(q, k, v, {.causal = ${causal}}, heads(joined.data(), 8));
tril::linear(joined, W_O, {}, y);`;
}
