import { TrilError, shapeText } from './error.js';
import type { Interventions, Replacement, Without } from './model-types.js';
import { checkKeys, checkName, describe, integerOption } from './names.js';
import { Tensor } from './tensor.js';
import { flatten, flattenIntegers, inferShape } from './values.js';

/** The module's numbers for the kinds: a whole layer, a head, and the parts of a layer. */
const kinds = ['layer', 'head', 'attention', 'feedForward', 'residual'];
const parts = kinds.slice(2);

/** Changes as the module takes them: five numbers each, and their values, if any. */
export interface RawInterventions {
  /** Kind, layer, head, position or -1 for all, and 1 where it has values. */
  readonly changes: Int32Array;
  readonly values: Float32Array;
}

/** The changes to a model, collected with its sizes. */
class Changes {
  readonly #call: string;
  readonly #sizes: Readonly<Record<'layer' | 'head' | 'width', number>>;
  /** The bound of positions, and the required number of rows of values. */
  readonly #positions: number;
  readonly #rows: number | undefined;
  readonly #changes: number[] = [];
  readonly #values: Float32Array[] = [];

  constructor(
    call: string,
    config: Readonly<Record<string, unknown>>,
    positions: number,
    rows: number | undefined,
  ) {
    const sizes = config as Record<string, number | undefined>;
    this.#call = call;
    this.#sizes = {
      layer: sizes['n_layer'] ?? sizes['num_hidden_layers']!,
      head: sizes['n_head'] ?? sizes['num_attention_heads']!,
      width: sizes['n_embd'] ?? sizes['hidden_size']!,
    };
    this.#positions = positions;
    this.#rows = rows;
  }

  #below(name: string, value: number | undefined, end: number, least = 0): number {
    const number = integerOption(this.#call, name, value, Number.NaN, least);
    if (number < end) return number;
    throw new TrilError(this.#call, name, `must be below ${end}, is ${number}`);
  }

  /** The named positions; undefined for all. */
  #positionsOf(name: string, given: Without['positions']): readonly number[] | undefined {
    if (given === undefined) return undefined;
    const list = typeof given === 'number' ? [given] : given;
    const { values } = flattenIntegers(this.#call, name, list);
    return [...values].map((each) => this.#below(name, each, this.#positions));
  }

  #add(kind: string, layer: number, head: number, position: number, values?: Float32Array): void {
    this.#changes.push(kinds.indexOf(kind), layer, head, position, values ? 1 : 0);
    if (values) this.#values.push(values);
  }

  without(each: Without): void {
    checkKeys(this.#call, 'without', 'part', each, ['layer', 'head', 'part', 'positions']);
    const { head, part } = each;
    const layer = this.#below('without.layer', each.layer, this.#sizes.layer);
    const at = this.#positionsOf('without.positions', each.positions);
    if (part !== undefined) {
      checkName(this.#call, 'without.part', 'part', part, ['attention', 'feedForward']);
    }
    if (head !== undefined && part !== undefined) {
      throw new TrilError(this.#call, 'without', 'has both a head and a part');
    }
    const whole = at === undefined ? ['layer'] : ['attention', 'feedForward'];
    const off = head !== undefined ? ['head'] : part !== undefined ? [part] : whole;
    const number = head === undefined ? 0 : this.#below('without.head', head, this.#sizes.head);
    for (const position of at ?? [-1])
      off.forEach((kind) => this.#add(kind, layer, number, position));
  }

  replace(each: Replacement): void {
    const call = this.#call;
    const known = ['layer', 'head', 'part', 'positions', 'values'];
    checkKeys(call, 'replace', 'part', each, known);
    const { head, part, values } = each;
    if ((head === undefined) === (part === undefined)) {
      throw new TrilError(call, 'replace', 'must have either a head or a part');
    }
    if (part !== undefined) checkName(call, 'replace.part', 'part', part, parts);
    const isResidual = part === 'residual';
    const { layer: layers, head: heads, width } = this.#sizes;
    const layer = this.#below('replace.layer', each.layer, layers, isResidual ? -1 : 0);
    const number = head === undefined ? 0 : this.#below('replace.head', head, heads);
    const at = this.#positionsOf('replace.positions', each.positions);
    const size = head === undefined ? width : width / heads;
    const name = 'replace.values';
    const shape = values instanceof Tensor ? values.shape : inferShape(call, values, name);
    const isOne = shape.length === 1 && shape[0] === size;
    const rows = at?.length ?? this.#rows ?? (shape.length === 2 ? shape[0]! : 1);
    const isRows = shape.length === 2 && shape[0] === rows && shape[1] === size;
    if (!isOne && !isRows) {
      const wanted = `${shapeText([size])} or ${shapeText([rows, size])}`;
      throw new TrilError(call, name, `shape must be ${wanted}, is ${shapeText(shape)}`);
    }
    if (isRows) this.#below(name, rows, this.#positions + 1);
    const numbers = values instanceof Tensor ? values.read() : flatten(call, values, shape, name);
    const all = Float32Array.from(numbers as Float32Array);
    const positions = at ?? (isOne ? [-1] : Array.from({ length: rows }, (_, row) => row));
    const kind = part ?? 'head';
    positions.forEach((position, row) => {
      const own = isOne ? all : all.subarray(row * size, (row + 1) * size);
      this.#add(kind, layer + (isResidual ? 1 : 0), number, position, own);
    });
  }

  /** All changes. */
  raw(): RawInterventions {
    const values = new Float32Array(this.#values.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const each of this.#values) {
      values.set(each, end);
      end += each.length;
    }
    return { changes: Int32Array.from(this.#changes), values };
  }
}

/**
 * The ablated parts and replaced results, at positions below `positions`. Values in a matrix have a
 * row for each of `rows` positions, by default any number.
 */
export function changesOf(
  call: string,
  config: Readonly<Record<string, unknown>>,
  { without = [], replace = [] }: Interventions,
  positions: number,
  rows?: number,
): RawInterventions {
  const changes = new Changes(call, config, positions, rows);
  for (const [name, list] of Object.entries({ without, replace })) {
    if (Array.isArray(list)) continue;
    throw new TrilError(call, name, `must be a list, is ${describe(list)}`);
  }
  without.forEach((each) => changes.without(each));
  replace.forEach((each) => changes.replace(each));
  return changes.raw();
}
