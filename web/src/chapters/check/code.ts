// The proof and a visitor's own case as programs elsewhere: attention of q, k and v, and other calls that are no layer.
import type { ProofResult } from '../../compute/worker/lessons/check';
import {
  isBackward,
  type CheckKind,
  type GradientName,
} from '../../compute/shared/lessons/check-names';
import { exampleHeads, exampleWindow, normEps } from '../../compute/shared/lessons/golden';
import type { MaskReading } from '../../compute/shared/lessons/file-mask';
import type { TensorData } from '../../compute/shared/lessons/layouts';
import type { MatrixData } from '../../compute/page/protocol';
import { programs, type Dialect, type Steps } from '../../figures/program';
import { attentionSteps } from './code-attention';
import { attentionBackwardSteps, linearBackwardSteps } from './code-backward';
import { layerSteps, variable, type LayerChoices, type Named } from './code-layers';

/** The form of a tensor in a program: the last axis as columns, all others as rows. */
function flat({ shape, data }: TensorData): MatrixData {
  const cols = shape.at(-1) ?? 1;
  return { rows: data.length / cols, cols, data };
}

function exampleSteps(say: Dialect, { id, inputs, expected }: ProofResult): Steps {
  const layer = { heads: exampleHeads, causal: true, norm: 'post', activation: 'relu' } as const;
  const attention = (how: { causal?: boolean; window?: typeof exampleWindow; linear?: boolean }) =>
    attentionSteps(say, inputs, { causal: false, heads: 0, ...how }, expected);
  const weights = () => say.attentionWeights('weights', { from: ['x', 'x', 'x'], causal: true });
  switch (id) {
    case 'multiHead':
      return layerSteps(say, 'multiHead', inputs, layer, expected);
    case 'block':
      return layerSteps(say, 'block', inputs, layer, expected);
    case 'preBlock':
      return layerSteps(say, 'block', inputs, { ...layer, norm: 'pre' }, expected);
    case 'window':
      return attention({ window: exampleWindow });
    case 'grouped':
      return attention({ causal: true });
    case 'linear':
      return attention({ linear: true });
    case 'softmax':
      return { steps: [weights()], result: 'weights' };
    case 'singular':
      return { steps: [weights(), say.singularValues('values', 'weights')], result: 'values' };
    case 'gelu':
      return { steps: [say.activation('y', 'gelu', 'x')], result: 'y' };
    case 'layerNorm': {
      const lines = say.by({
        numpy: `centred = x - x.mean(axis=1, keepdims=True)
y = centred / np.sqrt(x.var(axis=1, keepdims=True) + ${normEps}) * weight + bias`,
        pytorch: `y = F.layer_norm(x, x.shape[1:], weight[0], bias[0], eps=${normEps})`,
        cpp: (c) => `${c.matrices({ y: c.size('x') })}
tril::layer_norm(x, weight[0], bias[0], {.eps = ${normEps}}, y);`,
      });
      return { steps: [lines], result: 'y' };
    }
  }
}

function written(
  about: string,
  given: Named,
  expected: MatrixData,
  steps: (say: Dialect) => Steps,
) {
  const inputs = Object.fromEntries(
    Object.entries(given).map(([name, one]) => [variable(name), flat(one)]),
  );
  return programs({ about, inputs, expected }, steps);
}

export function proofCode(result: ProofResult, name: string) {
  return written(name, result.inputs, result.actual, (say) =>
    exampleSteps(say, { ...result, expected: result.actual }),
  );
}

/** Maximum count of numbers in a program: with more it is no text to copy. */
const mostNumbers = 60_000;

const readings: Readonly<Record<MaskReading, string>> = {
  look: '0 where a query may not look',
  hide: '0 where a query may look',
  add: 'added to the scores',
};

export interface OwnCase {
  readonly kind: CheckKind;
  readonly of?: GradientName;
  readonly tensors: Named;
  readonly choices: LayerChoices & { readonly reading?: MaskReading };
}

/** The programs for the expected result of the visitor's own code. */
export function ownCode({ kind, tensors, choices, of }: OwnCase, computed: MatrixData) {
  const count = Object.values(tensors).reduce((sum, { data }) => sum + data.length, 0);
  if (count > mostNumbers) return {};
  const mask = 'mask' in tensors ? `, its mask ${readings[choices.reading ?? 'look']}` : '';
  const about = `What it should be: ${of ? `${of} of ` : ''}${kind}${kind !== 'linearBackward' && choices.causal ? ', causal' : ''}${mask}`;
  if (kind === 'attention') {
    const all = written(about, tensors, computed, (say) =>
      attentionSteps(say, tensors, choices, computed),
    );
    // C++ is omitted: only multi_head_attention takes heads side by side, and it needs weights.
    return choices.heads > 0 ? { numpy: all.numpy, pytorch: all.pytorch } : all;
  }
  if (isBackward(kind)) {
    if (!of) return {};
    // Only Python: the core has no program that computes gradients step by step.
    const { numpy, pytorch } = written(about, tensors, computed, (say) =>
      kind === 'linearBackward'
        ? linearBackwardSteps(say, of, computed)
        : attentionBackwardSteps(say, tensors, choices, of, computed),
    );
    return { numpy, pytorch };
  }
  const fused = Object.keys(tensors).some((name) => name.endsWith('in_proj_weight'));
  return fused
    ? written(about, tensors, computed, (say) => layerSteps(say, kind, tensors, choices, computed))
    : {};
}
