// The proof and a visitor's own case as programs elsewhere: attention between q, k and v, and what is no layer.
import type { ProofResult } from '../../compute/lessons/check';
import { isBackward, type CheckKind, type GradientName } from '../../compute/lessons/check-names';
import { exampleHeads, exampleWindow, normEps } from '../../compute/lessons/golden';
import type { MaskReading } from '../../compute/lessons/file-mask';
import type { TensorData } from '../../compute/lessons/layouts';
import type { MatrixData } from '../../compute/protocol';
import { cppProgram, numpyProgram, torchProgram } from '../../figures/code';
import { attentionSteps } from './code-attention';
import { attentionBackwardSteps, linearBackwardSteps } from './code-backward';
import {
  layerSteps,
  variable,
  type Language,
  type LayerChoices,
  type Named,
  type Steps,
} from './code-layers';

/** As a program holds it: the last axis across, all others down. */
function flat({ shape, data }: TensorData): MatrixData {
  const cols = shape.at(-1) ?? 1;
  return { rows: data.length / cols, cols, data };
}

/** Softmax of causal scores of x and x, and what is made of it. */
const selfWeights: Readonly<Record<Language, string>> = {
  numpy: `scores = np.where(np.tri(len(x), dtype=bool), x @ x.T / x.shape[1] ** 0.5, np.float32(-inf))
powers = np.exp(scores - scores.max(1, keepdims=True))
weights = powers / powers.sum(1, keepdims=True)`,
  pytorch: `scores = x @ x.T / x.shape[1] ** 0.5
weights = scores.masked_fill(torch.ones(len(x), len(x)).triu(1).bool(), -inf).softmax(dim=1)`,
  cpp: `const tril::TensorView<const float, 4> head(x_numbers, {1, 1, x.size(0), x.size(1)});
tril::Buffer<float, 4> output({1, 1, x.size(0), x.size(1)}), weights({1, 1, x.size(0), x.size(0)});
tril::attention(head, head, head, {.causal = true}, output.view(), scratch, parallel,
                {.weights = weights.view()});`,
};
const squareOf = 'tril::MatrixView<const float>(weights.view().data(), {x.size(0), x.size(0)})';

const plain = {
  softmax: {
    numpy: { steps: selfWeights.numpy, result: 'weights' },
    pytorch: { steps: selfWeights.pytorch, result: 'weights' },
    cpp: { steps: selfWeights.cpp, result: squareOf, uses: ['attention/attention'] },
  },
  singular: {
    numpy: {
      steps: selfWeights.numpy,
      result: 'np.linalg.svd(weights, compute_uv=False)[None]',
    },
    pytorch: { steps: selfWeights.pytorch, result: 'torch.linalg.svdvals(weights)[None]' },
    cpp: {
      steps: `${selfWeights.cpp}
tril::Buffer<float, 2> values({1, x.size(0)});
tril::singular_values(${squareOf}, values.view()[0]);`,
      result: 'values.view()',
      uses: ['attention/attention', 'lessons/singular_values'],
    },
  },
  layerNorm: {
    numpy: {
      steps: 'centred = x - x.mean(1, keepdims=True)',
      result: `centred / np.sqrt(x.var(1, keepdims=True) + ${normEps}) * weight + bias`,
    },
    pytorch: {
      steps: 'width = x.shape[1]',
      result: `torch.nn.functional.layer_norm(x, (width,), weight[0], bias[0], eps=${normEps})`,
    },
    cpp: {
      steps: `tril::Buffer<float, 2> output({x.size(0), x.size(1)});
tril::layer_norm(x, weight[0], bias[0], {.eps = ${normEps}}, output.view(), parallel);`,
      result: 'output.view()',
      uses: ['layers/layer_norm'],
    },
  },
  gelu: {
    numpy: {
      steps: 'share = np.vectorize(lambda number: (1 + erf(number / sqrt(2))) / 2)',
      result: 'x * share(x)',
      uses: ['from math import erf, sqrt'],
    },
    pytorch: { steps: '', result: 'torch.nn.functional.gelu(x)' },
    cpp: {
      steps: `tril::Buffer<float, 2> output({x.size(0), x.size(1)});
tril::gelu(x, tril::GeluForm::exact, output.view(), parallel);`,
      result: 'output.view()',
      uses: ['layers/activations'],
    },
  },
} as const satisfies Record<string, Readonly<Record<Language, Steps>>>;

function exampleSteps({ id, inputs, expected }: ProofResult, language: Language): Steps {
  const layer = { heads: exampleHeads, causal: true, activation: 'relu' } as const;
  switch (id) {
    case 'multiHead':
      return layerSteps('multiHead', language, inputs, { ...layer, norm: 'post' }, expected);
    case 'block':
    case 'preBlock': {
      const norm = id === 'block' ? 'post' : 'pre';
      return layerSteps('block', language, inputs, { ...layer, norm }, expected);
    }
    case 'window':
      return attentionSteps(
        language,
        inputs,
        { causal: false, window: exampleWindow, heads: 0 },
        expected,
      );
    case 'grouped':
      return attentionSteps(language, inputs, { causal: true, heads: 0 }, expected);
    case 'linear':
      return attentionSteps(language, inputs, { causal: false, heads: 0, linear: true }, expected);
    default:
      return plain[id][language];
  }
}

function programs(
  about: string,
  given: Named,
  expected: MatrixData,
  steps: (language: Language) => Steps,
) {
  const inputs = Object.fromEntries(
    Object.entries(given).map(([name, one]) => [variable(name), flat(one)]),
  );
  const program = (language: Language) => ({ about, inputs, expected, ...steps(language) });
  return {
    numpy: () => numpyProgram(program('numpy')),
    pytorch: () => torchProgram(program('pytorch')),
    cpp: () => cppProgram(program('cpp')),
  };
}

export function proofCode(result: ProofResult, name: string) {
  return programs(name, result.inputs, result.actual, (language) =>
    exampleSteps({ ...result, expected: result.actual }, language),
  );
}

/** A program holds its numbers: more of them than this are no text to be copied. */
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

/** What the visitor's own code should give. */
export function ownCode({ kind, tensors, choices, of }: OwnCase, computed: MatrixData) {
  const count = Object.values(tensors).reduce((sum, { data }) => sum + data.length, 0);
  if (count > mostNumbers) return {};
  const mask = 'mask' in tensors ? `, its mask ${readings[choices.reading ?? 'look']}` : '';
  const about = `What it should be: ${of ? `${of} of ` : ''}${kind}${kind !== 'linearBackward' && choices.causal ? ', causal' : ''}${mask}`;
  if (kind === 'attention') {
    const all = programs(about, tensors, computed, (language) =>
      attentionSteps(language, tensors, choices, computed),
    );
    // In C++ heads side by side are what multi_head_attention takes, with its weights.
    return choices.heads > 0 ? { numpy: all.numpy, pytorch: all.pytorch } : all;
  }
  if (isBackward(kind)) {
    if (!of) return {};
    const { numpy, pytorch } = programs(about, tensors, computed, (language) => {
      if (language === 'cpp') throw new Error('gradients are not written in C++');
      return kind === 'linearBackward'
        ? linearBackwardSteps(language, of, computed)
        : attentionBackwardSteps(language, tensors, choices, of, computed);
    });
    return { numpy, pytorch };
  }
  const fused = Object.keys(tensors).some((name) => name.endsWith('in_proj_weight'));
  return fused
    ? programs(about, tensors, computed, (language) =>
        layerSteps(kind, language, tensors, choices, computed),
      )
    : {};
}
