// torch.nn's attention and encoder layer, in small steps of the core, so that each can be traced.
import { arithmetic } from '../arrays/arithmetic.js';
import type { ArrayValue } from '../arrays/array.js';
import { expandDims, part, reshape, swapAxes } from '../arrays/moves.js';
import { matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { truth } from '../language/comparisons.js';
import { type Args, integer } from '../language/signature.js';
import { ClassValue, Float, Tuple, type Value } from '../language/values.js';
import { linear, optional } from './functional.js';
import { maskedFill } from './array-calls.js';
import { tensorOf } from './make-arrays.js';

/** The tools for making classes of torch.nn. */
export interface ClassTools {
  readonly base: ClassValue;
  readonly own: (self: Value | undefined) => Map<string, Value>;
  readonly method: (
    type: ClassValue,
    name: string,
    signature: string,
    call: (args: Args) => Value,
  ) => void;
  /** A parameter of uniform random numbers between `-bound` and `bound`. */
  readonly drawn: (shape: readonly number[], bound: number) => ArrayValue;
  readonly constant: (shape: readonly number[], value: number) => ArrayValue;
}

/** Scores with a mask applied: booleans hide where they are true; numbers are added. */
function masked(scores: ArrayValue, mask: Value | undefined, axes: readonly number[]): ArrayValue {
  const given = optional(mask);
  if (!given) return scores;
  const hides = axes.length > 0 ? expandDims(given, axes) : given;
  return hides.dtype === 'bool'
    ? maskedFill(scores, hides, new Float(-Infinity))
    : arithmetic('+', scores, hides);
}

export function addAttention(machine: Machine, names: Map<string, Value>, tools: ClassTools): void {
  const { base, own, method, drawn, constant } = tools;
  const make = (name: string, args: readonly Value[], named: Record<string, Value> = {}) =>
    machine.call(names.get(name)!, args, new Map(Object.entries(named)));

  const attention = new ClassValue('MultiheadAttention', base);
  names.set('MultiheadAttention', attention);
  method(
    attention,
    '__init__',
    'embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False',
    ({ self, embed_dim, num_heads, bias, batch_first }) => {
      const set = (name: string, value: Value) => own(self).set(name, value);
      const [width, heads] = [integer(embed_dim!, 'embed_dim'), integer(num_heads!, 'num_heads')];
      if (width % heads !== 0) raise('AssertionError', 'embed_dim must be divisible by num_heads');
      set('embed_dim', width);
      set('num_heads', heads);
      set('head_dim', width / heads);
      set('batch_first', truth(batch_first!));
      set('in_proj_weight', drawn([3 * width, width], Math.sqrt(6 / (4 * width))));
      set('in_proj_bias', truth(bias!) ? constant([3 * width], 0) : null);
      const out = make('Linear', [width, width], { bias: truth(bias!) });
      if (truth(bias!)) own(out).set('bias', constant([width], 0));
      set('out_proj', out);
      return null;
    },
  );
  method(
    attention,
    'forward',
    'query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True',
    (args) => {
      const { key_padding_mask, need_weights, attn_mask, average_attn_weights } = args;
      const of = (name: string) => own(args['self']).get(name)!;
      const [width, heads] = [of('embed_dim') as number, of('num_heads') as number];
      const given = ['query', 'key', 'value'].map((name) =>
        tensorOf('multi_head_attention_forward', args[name]!),
      );
      const isOne = given[0]!.rank === 2;
      const turned = !isOne && !truth(of('batch_first'));
      /** The projections, with the batch axis first and the heads after it. */
      const projected = given.map((x, i) => {
        const batch = isOne ? expandDims(x, [0]) : turned ? swapAxes(x, 0, 1) : x;
        const third = (name: string) => {
          const all = optional(of(name));
          return all && part(all, 0, i * width, (i + 1) * width);
        };
        const made = linear(batch, third('in_proj_weight')!, third('in_proj_bias'));
        const [B, T] = made.shape as [number, number];
        return swapAxes(reshape(made, [B, T, heads, width / heads]), 1, 2);
      });
      const [q, k, v] = projected as [ArrayValue, ArrayValue, ArrayValue];
      const root = new Float(Math.sqrt(width / heads));
      const scores = matmul(arithmetic('/', q, root), swapAxes(k, -1, -2));
      const [B, , T, S] = scores.shape as [number, number, number, number];
      const mask = optional(attn_mask);
      const perHead = mask?.rank === 3 ? reshape(mask, [B, heads, T, S]) : mask;
      const padding = optional(key_padding_mask);
      const seen = masked(
        masked(scores, perHead, []),
        isOne && padding ? expandDims(padding, [0]) : padding,
        [1, 2],
      );
      const weights = reduce.softmax(seen, -1);
      const blend = reshape(swapAxes(matmul(weights, v), 1, 2), [B, T, width]);
      const output = machine.call(of('out_proj'), [blend]) as ArrayValue;
      const shown = truth(average_attn_weights!)
        ? reduce.mean(weights, { axes: [1], keepDims: false })
        : weights;
      const out = isOne ? reshape(output, [T, width]) : turned ? swapAxes(output, 0, 1) : output;
      const one = isOne ? reshape(shown, shown.shape.slice(1)) : shown;
      return new Tuple([out, truth(need_weights!) ? one : null]);
    },
  );

  const encoder = new ClassValue('TransformerEncoderLayer', base);
  names.set('TransformerEncoderLayer', encoder);
  method(
    encoder,
    '__init__',
    "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-5, batch_first=False, norm_first=False",
    (args) => {
      const { d_model, nhead, dim_feedforward, activation, layer_norm_eps, batch_first } = args;
      const set = (name: string, value: Value) => own(args['self']).set(name, value);
      set(
        'self_attn',
        make('MultiheadAttention', [d_model!, nhead!], { batch_first: batch_first! }),
      );
      set('linear1', make('Linear', [d_model!, dim_feedforward!]));
      set('linear2', make('Linear', [dim_feedforward!, d_model!]));
      for (const name of ['norm1', 'norm2'])
        set(name, make('LayerNorm', [d_model!], { eps: layer_norm_eps! }));
      set('norm_first', truth(args['norm_first']!));
      const functions = names.get('functional')!;
      const isName = typeof activation === 'string';
      set('activation', isName ? machine.attribute(functions, activation) : activation!);
      return null;
    },
  );
  method(
    encoder,
    'forward',
    'src, src_mask=None, src_key_padding_mask=None',
    ({ self, src, src_mask, src_key_padding_mask }) => {
      const of = (name: string) => own(self).get(name)!;
      const run = (name: string, x: Value) => machine.call(of(name), [x]);
      const add = (x: Value, y: Value) => arithmetic('+', x, y);
      const attend = (x: Value) => {
        const masks = { attn_mask: src_mask!, key_padding_mask: src_key_padding_mask! };
        const named = new Map<string, Value>(Object.entries({ ...masks, need_weights: false }));
        return (machine.call(of('self_attn'), [x, x, x], named) as Tuple).items[0]!;
      };
      const feed = (x: Value) => run('linear2', run('activation', run('linear1', x)));
      if (truth(of('norm_first'))) {
        const x = add(src!, attend(run('norm1', src!)));
        return add(x, feed(run('norm2', x)));
      }
      const x = run('norm1', add(src!, attend(src!)));
      return run('norm2', add(x, feed(x)));
    },
  );
}
