// Operations in Python: step by step with NumPy, and with PyTorch's own functions.
import { indented, type Activation, type Attending, type Operations } from './program-operations';

/** Functions that a program defines above its steps if they use them; PyTorch has most of them itself. */
const definitions = {
  numpy: {
    softmax: `def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)`,
    blind: `def softmax(scores):  # a row that sees nothing has no largest score, and gets zeros
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(largest == -inf, np.float32(0), largest))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, np.float32(1), sums)`,
    norm: `def norm(m):
    return (m - m.mean(axis=-1, keepdims=True)) / np.sqrt(m.var(axis=-1, keepdims=True) + 1e-5)`,
  },
  pytorch: {
    softmax: '',
    blind: `def softmax(scores):  # a row that sees nothing gets zeros, not NaN
    return scores.softmax(dim=-1).masked_fill((scores == -inf).all(dim=-1, keepdim=True), 0)`,
    norm: `def norm(m):
    return F.layer_norm(m, m.shape[-1:])`,
  },
} as const;

const activations = {
  numpy: {
    relu: (h: string) => `np.maximum(${h}, 0)`,
    gelu: (h: string) => `${h} * np.vectorize(lambda v: (1 + erf(v / sqrt(2))) / 2)(${h})`,
    gelu_tanh: (h: string) =>
      `${h} * (1 + np.tanh(np.sqrt(2 / np.pi) * (${h} + 0.044715 * ${h}**3))) / 2`,
    silu: (h: string) => `${h} / (1 + np.exp(-${h}))`,
  },
  pytorch: {
    relu: (h: string) => `F.relu(${h})`,
    gelu: (h: string) => `F.gelu(${h})`,
    gelu_tanh: (h: string) => `F.gelu(${h}, approximate="tanh")`,
    silu: (h: string) => `F.silu(${h})`,
  },
} as const satisfies Record<string, Record<Activation, (h: string) => string>>;

/** Text of this language: for both libraries, or for one. */
export interface OwnPython {
  readonly python?: string | ((python: Python) => string);
  readonly numpy?: string;
  readonly pytorch?: string;
}

export class Python implements Operations {
  readonly #defined = new Set<keyof (typeof definitions)['numpy']>();

  constructor(readonly language: 'numpy' | 'pytorch') {}

  /** The name of the library. */
  get lib(): string {
    return this.either('np', 'torch');
  }
  /** Arguments for a reduction of the last axis that keeps it. */
  get kept(): string {
    return this.either('axis=-1, keepdims=True', 'dim=-1, keepdim=True');
  }

  either = (numpy: string, pytorch: string) => (this.language === 'numpy' ? numpy : pytorch);

  by({ python, ...own }: OwnPython): string {
    return (typeof python === 'function' ? python(this) : python) ?? own[this.language] ?? '';
  }

  helpers(): string {
    return [...this.#defined]
      .map((one) => definitions[this.language][one])
      .filter(Boolean)
      .map((text) => `${text}\n`)
      .join('\n');
  }

  /** Softmax along the last axis. `blind`: a row may have only -inf. */
  softmaxOf(scores: string, blind = false): string {
    this.#defined.add(blind ? 'blind' : 'softmax');
    return blind || this.language === 'numpy' ? `softmax(${scores})` : `${scores}.softmax(dim=-1)`;
  }

  /** The function of layer norm along the last axis. */
  get norming(): string {
    this.#defined.add('norm');
    return 'norm';
  }
  normOf(m: string): string {
    return `${this.norming}(${m})`;
  }

  activationOf(kind: Activation, h: string): string {
    return activations[this.language][kind](h);
  }

  /** Scores with -inf above the diagonal. */
  causalOf(scores: string): string {
    return this.either(
      `np.where(np.tri(*${scores}.shape[-2:], dtype=bool), ${scores}, np.float32(-inf))`,
      `${scores}.masked_fill(torch.ones_like(${scores}).triu(1).bool(), -inf)`,
    );
  }

  /** An array from numbers in lists. */
  arrayOf(list: string): string {
    return this.either(`np.array(${list}, np.float32)`, `torch.tensor(${list})`);
  }

  /** Matrices joined one below the other, or along another axis. */
  joinOf(list: string, axis = 0): string {
    const [name, word] = [this.either('np.concatenate', 'torch.cat'), this.either('axis', 'dim')];
    return axis === 0 ? `${name}(${list})` : `${name}(${list}, ${word}=${axis})`;
  }

  /** A matrix in three parts along its last axis. */
  thirdsOf(m: string): string {
    return this.either(`np.split(${m}, 3, axis=-1)`, `(${m}).chunk(3, dim=-1)`);
  }

  linear(x: string, made: Readonly<Record<string, string>>): string {
    const products = Object.values(made).map((weight) => `${x} @ ${weight}.T`);
    return `${Object.keys(made).join(', ')} = ${products.join(', ')}`;
  }

  product(to: string, a: string, b: string, transposed?: 'a' | 'b'): string {
    const turned = (name: string, of: 'a' | 'b') => (transposed === of ? `${name}.T` : name);
    return `${to} = ${turned(a, 'a')} @ ${turned(b, 'b')}`;
  }

  scores(to: string, q: string, k: string): string {
    return `${to} = ${q} @ ${k}.T / ${q}.shape[1] ** 0.5`;
  }

  softmax(to: string, scores: string, blind = false): string {
    return `${to} = ${this.softmaxOf(scores, blind)}`;
  }

  attentionWeights(to: string, { from, causal, added }: Attending = {}): string {
    const [q, k] = from ?? ['Q', 'K'];
    const scores = this.scores('scores', q, k);
    if (added) return `${scores}\n${to} = ${this.softmaxOf(`scores + ${added}`, true)}`;
    if (!causal) return `${scores}\n${to} = ${this.softmaxOf('scores')}`;
    return `${scores}\nmasked = ${this.causalOf('scores')}\n${to} = ${this.softmaxOf('masked')}`;
  }

  attention(to: string, how: Attending = {}): string {
    return `${this.attentionWeights('weights', how)}\n${to} = weights @ ${how.from?.[2] ?? 'V'}`;
  }

  norm(to: string, x: string): string {
    return `${to} = ${this.normOf(x)}`;
  }

  activation(to: string, kind: Activation, x: string): string {
    return `${to} = ${this.activationOf(kind, x)}`;
  }

  singularValues(to: string, matrix: string): string {
    const call = this.either(
      `np.linalg.svd(${matrix}, compute_uv=False)`,
      `torch.linalg.svdvals(${matrix})`,
    );
    return `${to} = ${call}[None]`;
  }

  below(to: string, parts: readonly string[]): string {
    return `${to} = ${this.joinOf(`[${parts.join(', ')}]`)}`;
  }

  function(name: string, of: string, _: string, result: string, body: () => string): string {
    return `def ${name}(${of}):\n${indented(`${body()}\nreturn ${result}`)}`;
  }

  call(made: Readonly<Record<string, readonly [name: string, of: string]>>): string {
    const calls = Object.values(made).map(([name, of]) => `${name}(${of})`);
    return `${Object.keys(made).join(', ')} = ${calls.join(', ')}`;
  }
}
