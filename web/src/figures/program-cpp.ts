// Operations in C++ with the library: each fills its own buffer, whose size follows from its inputs.
import type { MatrixData } from '../compute/page/protocol';
import { indented, type Activation, type Attending, type Operations } from './program-operations';

type Size = readonly [rows: number, cols: number];

/** Text of this language. */
export interface OwnCpp {
  readonly cpp?: string | ((cpp: Cpp) => string);
}

export class Cpp implements Operations {
  readonly #sizes: Map<string, Size>;
  /** Names of views; all others are buffers. */
  readonly #views: Set<string>;
  /** Sizes of the results of functions. */
  readonly #returned = new Map<string, Size>();

  constructor(inputs: Readonly<Record<string, MatrixData>>) {
    this.#sizes = new Map(
      Object.entries(inputs).map(([name, one]) => [name, [one.rows, one.cols]]),
    );
    this.#views = new Set(Object.keys(inputs));
  }

  helpers(): string {
    return '';
  }

  by({ cpp }: OwnCpp): string {
    return (typeof cpp === 'function' ? cpp(this) : cpp) ?? '';
  }

  size(name: string): Size {
    const size = this.#sizes.get(name);
    if (!size) throw new Error(`no matrix ${name}`);
    return size;
  }

  /** Declares matrices of zeros. */
  matrices(made: Readonly<Record<string, Size>>): string {
    const declared = Object.entries(made).map(([name, size]) => {
      this.#sizes.set(name, size);
      return `${name}({${size.join(', ')}})`;
    });
    return `tril::Buffer<float, 2> ${declared.join(', ')};`;
  }

  /** An element of a view or a buffer. */
  at(name: string, row = 'i', col = 'j'): string {
    return `${name}${this.#views.has(name) ? '' : '.view()'}[${row}][${col}]`;
  }

  /** Two loops that set every element to an expression of i and j. */
  each(to: string, element: string): string {
    const [rows, cols] = this.size(to);
    return `for (tril::Index i = 0; i < ${rows}; ++i) {
  for (tril::Index j = 0; j < ${cols}; ++j) ${this.at(to)} = ${element};
}`;
  }

  /** A matrix as one batch of one head. */
  head(name: string): string {
    return `{${name}.data(), {1, 1, ${this.size(name).join(', ')}}}`;
  }

  linear(x: string, made: Readonly<Record<string, string>>): string {
    const [rows] = this.size(x);
    const sizes = Object.entries(made).map(([to, weight]) => [to, [rows, this.size(weight)[0]]]);
    return [
      this.matrices(Object.fromEntries(sizes) as Record<string, Size>),
      ...Object.entries(made).map(([to, weight]) => `tril::linear(${x}, ${weight}, {}, ${to});`),
    ].join('\n');
  }

  product(to: string, a: string, b: string, transposed?: 'a' | 'b'): string {
    const [left, right] = [this.size(a), this.size(b)];
    const size: Size = [left[transposed === 'a' ? 1 : 0], right[transposed === 'b' ? 0 : 1]];
    const options = transposed ? `{.transpose_${transposed} = true}` : '{}';
    return `${this.matrices({ [to]: size })}
tril::matmul(${a}, ${b}, ${options}, ${to});`;
  }

  scores(to: string, q: string, k: string): string {
    return `${this.matrices({ [to]: [this.size(q)[0], this.size(k)[0]] })}
tril::matmul(${q}, ${k}, {.transpose_b = true, .alpha = 1 / std::sqrt(${this.size(q)[1]}.0f)}, ${to});`;
  }

  softmax(to: string, scores: string): string {
    return `${this.matrices({ [to]: this.size(scores) })}
tril::softmax(${scores}, {}, ${to});`;
  }

  #attend(to: string, { from, causal, added }: Attending, trace = ''): string {
    const [q, k, v] = (from ?? ['Q', 'K', 'V']).map((name) => this.head(name));
    const mask = added && `.mask = tril::Mask::additive(${this.head(added)})`;
    const options = [causal && '.causal = true', mask].filter(Boolean).join(', ');
    return `tril::attention(${q}, ${k}, ${v},
                {${options}}, ${this.head(to)}${trace});`;
  }

  attention(to: string, how: Attending = {}): string {
    const [q, , v] = how.from ?? ['Q', 'K', 'V'];
    return `// One batch of one head: [1, 1, T, D] is [T, D].
${this.matrices({ [to]: [this.size(q)[0], this.size(v)[1]] })}
${this.#attend(to, how)}`;
  }

  attentionWeights(to: string, how: Attending = {}): string {
    const [q, k, v] = how.from ?? ['Q', 'K', 'V'];
    const rows = this.size(q)[0];
    const made = this.matrices({
      attended: [rows, this.size(v)[1]],
      [to]: [rows, this.size(k)[0]],
    });
    return `// One batch of one head: [1, 1, T, D] is [T, D].
${made}
${this.#attend('attended', how, `, {}, {.weights = ${this.head(to)}}`)}`;
  }

  norm(to: string, x: string): string {
    return `${this.matrices({ [to]: this.size(x) })}
tril::layer_norm(${x}, {}, {}, {}, ${to});`;
  }

  activation(to: string, kind: Activation, x: string): string {
    const [name, form] = kind.startsWith('gelu')
      ? ['gelu', `tril::GeluForm::${kind === 'gelu' ? 'exact' : 'tanh'}, `]
      : [kind, ''];
    return `${this.matrices({ [to]: this.size(x) })}\ntril::${name}(${x}, ${form}${to});`;
  }

  singularValues(to: string, matrix: string): string {
    return `${this.matrices({ [to]: [1, Math.min(...this.size(matrix))] })}
tril::singular_values(${matrix}, ${to}.view()[0]);`;
  }

  below(to: string, parts: readonly string[]): string {
    const sizes = parts.map((name) => this.size(name));
    const [, cols] = sizes[0];
    let row = 0;
    const copies = parts.map((name, i) => {
      const at = row === 0 ? '' : ` + ${row * cols}`;
      row += sizes[i][0];
      return `std::copy_n(${name}.data(), ${sizes[i][0] * cols}, ${to}.data()${at});`;
    });
    return [this.matrices({ [to]: [row, cols] }), ...copies].join('\n');
  }

  function(name: string, of: string, like: string, result: string, body: () => string): string {
    this.#sizes.set(of, this.size(like));
    this.#views.add(of);
    const lines = indented(`${body()}\nreturn ${result};`, 2);
    this.#returned.set(name, this.size(result));
    return `const auto ${name} = [&](const tril::MatrixView<const float>& ${of}) {\n${lines}\n};`;
  }

  call(made: Readonly<Record<string, readonly [name: string, of: string]>>): string {
    const calls = Object.entries(made).map(([to, [name, of]]) => {
      this.#sizes.set(to, this.#returned.get(name)!);
      return `${to} = ${name}(${of})`;
    });
    return `auto ${calls.join(', ')};`;
  }
}
