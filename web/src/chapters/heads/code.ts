// The figures as programs elsewhere: a layer for the shown sequence, its maps by all divisions, and those of two
// layers.
import { circuitGraph, layerGraph, mapsGraph } from '../../compute/shared/handmade/heads-graph';
import { divisions, headWidth, heads } from '../../compute/shared/handmade/heads-circuit';
import type { HeadsAnswer } from '../../compute/worker/lessons/heads';
import type { NodeValues } from '../../compute/worker/lessons/graph';
import { programsOf, stacked } from '../../figures/graph';

export const splitCode = (values: NodeValues) =>
  programsOf(
    `Multi-head attention, ${heads} heads of ${headWidth}, causal`,
    { graph: layerGraph, values },
    ['output'],
  );

export function dividedCode({ layers: [{ X, W_in }], divided }: HeadsAnswer) {
  const names = divisions.map((count) => `weights_${count}`);
  const maps = Object.fromEntries(divided.map(({ weights }, i) => [names[i], stacked(weights)]));
  return programsOf(
    `The weights of attention by the same matrices, divided into ${divisions.join(', ')} heads`,
    { graph: mapsGraph, values: { X, W_in, ...maps } },
    names,
  );
}

export function circuitCode({ layers: [lower, upper] }: HeadsAnswer, layer: number) {
  const { X, W_in, W_O } = lower;
  const values = {
    X,
    W_in,
    W_O,
    W_2: upper.W_in,
    weights_1: lower.weights,
    weights_2: upper.weights,
  };
  return programsOf(
    `Two layers of ${heads} heads each: the weights of layer ${layer}`,
    { graph: circuitGraph, values },
    [`weights_${layer}`],
  );
}
