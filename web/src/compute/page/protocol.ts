// What the page and its Workers tell each other about matrices, attention heads and trouble. Only plain data crosses.

/** Row-major numbers of a matrix. */
export interface MatrixData {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float32Array;
}

/** The stages of one attention head, in order, and its three weight matrices ([out, in], as PyTorch has them). */
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

/** By the core's count, for CostMeter. */
export interface CostData {
  readonly flops: number;
  /** Read and written once. */
  readonly bytes: number;
  /** Operations a byte. */
  readonly intensity: number;
}

export interface AttendResult {
  readonly matrices: Readonly<Record<MatrixId, MatrixData>>;
  /** Sum of every row of weights, [T, 1]. */
  readonly rowSums: MatrixData;
  /** output times the table's rows in use, [T, distinct tokens]: how much each token is in it. */
  readonly readout: MatrixData | null;
  /** All of the above in the core, milliseconds. */
  readonly milliseconds: number;
}

/** The package, as it was loaded. */
export interface Loaded {
  readonly variant: string;
  /** On how many it computes. */
  readonly threads: number;
  readonly milliseconds: number;
}

/** A failure in words; `call` and `argument` where a call of the core refused its arguments. */
export interface Failure {
  readonly message: string;
  /** A file was needed that could not be fetched. */
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
