// Messages between the page and its Workers about matrices, attention heads and failures. Only plain data crosses.

/** A matrix in row-major order. */
export interface MatrixData {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float32Array;
}

/** The stages of one attention head, in order, and its three weight matrices ([out, in], as in PyTorch). */
export const matrixIds = [
  'x',
  'wq',
  'wk',
  'wv',
  'q',
  'k',
  'v',
  'scores',
  'scaled',
  'masked',
  'weights',
  'output',
] as const;
export type MatrixId = (typeof matrixIds)[number];

/** Rows of X are [ 1 | content | position ]; content is looked up by token number, or given. */
export type Content =
  | { readonly kind: 'tokens'; readonly ids: readonly number[]; readonly table: MatrixData }
  | { readonly kind: 'numbers'; readonly numbers: MatrixData };

export interface AttendRequest {
  readonly content: Content;
  readonly positions: {
    readonly width: number;
    readonly wavelength: number;
    readonly ratio: number;
  };
  readonly weights: { readonly q: MatrixData; readonly k: MatrixData; readonly v: MatrixData };
  readonly causal: boolean;
}

/** The core's count, for CostMeter. */
export interface CostData {
  readonly flops: number;
  /** Bytes, read and written once. */
  readonly bytes: number;
  /** Operations per byte. */
  readonly intensity: number;
}

/** The loaded package. */
export interface Loaded {
  readonly variant: string;
  /** Number of threads on which it computes. */
  readonly threads: number;
  readonly milliseconds: number;
}

/** A failure in words; `call` and `argument` are set if a call of the core refused its arguments. */
export interface Failure {
  readonly message: string;
  /** A necessary file could not be downloaded. */
  readonly offline?: boolean;
  readonly call?: string;
  readonly argument?: string;
}

export function at(matrix: MatrixData, row: number, col: number): number {
  return matrix.data[row * matrix.cols + col];
}

/** The numbers of a row. */
export const rowOf = ({ cols, data }: MatrixData, row: number): number[] =>
  Array.from(data.subarray(row * cols, (row + 1) * cols));
