// The arrays of a program: ndarray in NumPy, Tensor in PyTorch. Each stands for a recorded value, can be written to, and
// shares its numbers with its views.
import { upTo } from '../../graph/operations/common.js';
import { float } from '../../graph/program-python.js';
import { raiseAs } from '../language/errors.js';
import { worked } from '../language/work.js';
import type { Recorded, Recorder } from './record.js';

/** A type of numbers. All are float32 in the core: the type says how they are promoted and printed. */
export class Dtype {
  constructor(
    readonly name: DtypeName,
    readonly library: Library = 'numpy',
  ) {}

  get text(): string {
    return this.library === 'torch' ? `torch.${this.name}` : this.name;
  }
}

export type DtypeName = 'float64' | 'float32' | 'int64' | 'bool';
export type Library = 'numpy' | 'torch';

export const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

export const stridesOf = (shape: readonly number[]): number[] =>
  shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));

/** Strides of a shape that is repeated to another. */
export function strideBack(shape: readonly number[], to: readonly number[]): number[] {
  const own = stridesOf(shape);
  return to.map((_, i) => {
    const axis = i - to.length + shape.length;
    return axis < 0 || shape[axis] === 1 ? 0 : own[axis]!;
  });
}

/** Offsets of the elements of a strided array, in row-major order. */
export function placesOf(
  shape: readonly number[],
  strides: readonly number[],
  start = 0,
): number[] {
  let places = [start];
  for (const [axis, size] of shape.entries()) {
    const next: number[] = [];
    for (const place of places)
      for (let i = 0; i < size; ++i) next.push(place + i * strides[axis]!);
    places = next;
  }
  return places;
}

/** The relation of a view to the array whose numbers it shares. */
interface View {
  readonly root: ArrayValue;
  /** The root's version from which the view's value was made. */
  seen: number;
  /** Makes the value again from the root's current one. */
  redo(): Recorded;
  /** The index in the root of each number of the view. */
  places(): readonly number[];
}

export interface Kind {
  readonly dtype: DtypeName;
  readonly library: Library;
}

/** The shortest number that is the same as float32. */
export const shortest = (value: number): number =>
  Number.isFinite(value) ? Number(float(value)) : value;

export class ArrayValue implements Kind {
  #recorded: Recorded;
  #pending: { places: readonly number[]; value: Recorded }[] = [];
  /** The line of the last write. */
  #line = 0;
  #version = 0;
  readonly #view: View | undefined;
  readonly strides: readonly number[];

  constructor(
    readonly recorder: Recorder,
    recorded: Recorded,
    /** The shape in the program: `()` is `[1]` in the core. */
    readonly shape: readonly number[],
    readonly dtype: DtypeName,
    readonly library: Library,
    view?: View,
    strides?: readonly number[],
  ) {
    this.#recorded = recorded;
    this.#view = view;
    this.strides = strides ?? stridesOf(shape);
  }

  /** Its current value. */
  get recorded(): Recorded {
    const view = this.#view;
    if (view && view.seen !== view.root.#version) {
      this.#recorded = view.redo();
      view.seen = view.root.#version;
    }
    if (this.#pending.length > 0) {
      const values = this.#pending.map(({ value }) => value);
      const places = this.#pending.map((each) => each.places);
      this.#pending = [];
      const { line } = this.recorder;
      this.recorder.line = this.#line;
      this.#recorded = this.recorder.make('put', [this.#recorded, ...values], { places });
      this.recorder.line = line;
    }
    return this.#recorded;
  }

  get rank(): number {
    return this.shape.length;
  }

  get size(): number {
    return sizeOf(this.shape);
  }

  /** Whether NumPy treats it as a number, not an array. */
  get isScalar(): boolean {
    return this.rank === 0;
  }

  get isContiguous(): boolean {
    const own = stridesOf(this.shape);
    return this.size === 0 || this.shape.every((n, i) => n === 1 || this.strides[i] === own[i]);
  }

  /** Its numbers, in row-major order; `work` is the work counted for each. */
  numbers(work = 1): Float32Array {
    worked(this.size * work);
    return this.recorded.tensor.read();
  }

  /** Its only number. */
  item(): number {
    if (this.size !== 1) {
      raiseAs(this.library, {
        numpy: ['ValueError', 'can only convert an array of size 1 to a Python scalar'],
        torch: ['ValueError', 'only one element tensors can be converted to Python scalars'],
      });
    }
    const value = this.numbers()[0]!;
    return this.library === 'torch' ? value : shortest(value);
  }

  /** Another array of the same numbers, with nothing shared. */
  copy = (): ArrayValue => this.like(this.recorded, this.shape);

  /** Another array of the same kind, with nothing shared. */
  like = (recorded: Recorded, shape: readonly number[], dtype = this.dtype): ArrayValue =>
    new ArrayValue(this.recorder, recorded, shape, dtype, this.library);

  /**
   * A view: `of` makes its value from this array's value, and `places` gives the indices of its
   * numbers in this array.
   */
  view(
    shape: readonly number[],
    of: (recorded: Recorded) => Recorded,
    places: () => readonly number[],
    strides?: readonly number[],
  ): ArrayValue {
    const root = this.#view?.root ?? this;
    const view: View = {
      root,
      seen: root.#version,
      redo: () => of(this.recorded),
      places: () => {
        const outer = this.#view?.places();
        return outer ? places().map((place) => outer[place]!) : places();
      },
    };
    const made = of(this.recorded);
    return new ArrayValue(this.recorder, made, shape, this.dtype, this.library, view, strides);
  }

  /** Writes the numbers of `value`, in row-major order, to the given places. */
  write(places: readonly number[], value: Recorded): void {
    const view = this.#view;
    if (view) {
      this.recorder.elements(this.shape);
      const outer = view.places();
      view.root.write(
        places.map((place) => outer[place]!),
        value,
      );
      return;
    }
    this.#version += 1;
    this.#line = this.recorder.line;
    if (places.length > 0) this.#pending.push({ places, value });
  }

  /** Replaces its value. */
  become(value: Recorded): void {
    if (this.#view) this.write(upTo(this.size), value);
    else {
      this.#version += 1;
      this.#pending = [];
      this.#recorded = value;
    }
  }
}
