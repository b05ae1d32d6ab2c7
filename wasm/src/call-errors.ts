// Errors of the core in JavaScript's terms: with its argument names and the shapes that the caller passed.
import { shapeText, TrilError, type Shapes } from './error.js';
import { camelCase } from './names.js';
import { Tensor } from './tensor.js';

/**
 * Arguments with a different name in the core: an `out` is an `output` here, and masks and caches have their own
 * names.
 */
const ownNames: readonly (readonly [RegExp, string])[] = [
  [/^d_out$/, 'dOutput'],
  [/\bmultihead_attn\.mask$/, 'memoryMask'],
  [/\bmultihead_attn\.past$/, 'memoryPast'],
  [/^encoder\..*\.self_attn\.mask$/, 'sourceMask'],
  [/^decoder\..*\.self_attn\.mask$/, 'targetMask'],
];

/**
 * The JavaScript name of the core's argument, such as `layers.0.self_attn.out_proj.weight` or
 * `self_attn.scale`: options in camel case, weights as in PyTorch, files by name. Options of a part
 * are options of the whole.
 */
function publicArgument(name: string): string {
  if (/(weight|bias)$|^w_[qk]$|\.(gguf|json|safetensors|txt)$/.test(name)) return name;
  const [, own] = ownNames.find(([pattern]) => pattern.test(name)) ?? [];
  return (
    own ?? camelCase(name.replace(/^(trainer|(.*\.)?(self|multihead)_attn)\.(?=[a-z_]+$)/, ''))
  );
}

/**
 * The module's own error with the public name of the call and the shapes of its tensors; any other
 * value is returned unchanged.
 */
export function withCall(error: unknown, call: string, tensors: Record<string, unknown>): unknown {
  if (!(error instanceof TrilError)) return error;
  const argument = publicArgument(error.argument);
  const shapes = shapesOf(tensors);
  // The core sees most tensors as rows or matrices; the message gives the shapes that the caller
  // passed.
  const problem = error.problem.replace(/(\w+) is \[[^\]]*\]/g, (text, name: string) => {
    const shape = shapes[name === 'shape' ? argument : publicArgument(name)];
    return shape ? `${name} is ${shapeText(shape)}` : text;
  });
  return new TrilError(call, argument, problem, { ...shapes, ...error.shapes });
}

function shapesOf(tensors: Record<string, unknown>): Shapes {
  const given = Object.entries(tensors).filter((entry): entry is [string, Tensor] => {
    return entry[1] instanceof Tensor;
  });
  return Object.fromEntries(given.map(([argument, tensor]) => [argument, tensor.shape]));
}
