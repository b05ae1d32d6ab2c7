import type { Tensor } from './tensor.js';

/** `{ 'encoder.0.hidden': x }` as `{ encoder: [{ hidden: x }] }`. */
export function nested(tensors: Record<string, Tensor>): object {
  const root: Record<string, unknown> = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    const path = name.split('.');
    const last = path.pop()!;
    let level = root;
    path.forEach((key, i) => {
      const next = path[i + 1] ?? last;
      level = (level[key] ??= /^\d+$/.test(next) ? [] : {}) as Record<string, unknown>;
    });
    level[last] = tensor;
  }
  return root;
}
