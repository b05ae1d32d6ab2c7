// The answers for motions of chapter "Attend" between a product's factors and its result. There is no arithmetic here.
import type { Tril } from 'tril';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { download, ones, upload } from '../../shared/lessons/matrices';

export interface MotionLessons {
  /** A dot product, pair by pair. */
  meeting: {
    ask: { readonly query: readonly number[]; readonly key: readonly number[] };
    /** The product of each pair, and the sum of all up to it. */
    answer: { readonly products: readonly number[]; readonly sums: readonly number[] };
  };
  /** A blend that its values join one after the other. */
  joining: {
    /** Shares greater than 0, and a row of values each. */
    ask: { readonly shares: readonly number[]; readonly values: MatrixData };
    answer: {
      /** [T, Dv]: the sums of shares times values so far, and these divided by the sum of the shares. */
      readonly partial: MatrixData;
      readonly blends: MatrixData;
      /** Sums of the shares so far. */
      readonly sums: readonly number[];
    };
  };
}

function meeting(tril: Tril, { query, key }: MotionLessons['meeting']['ask']) {
  const products = tril.multiply(tril.tensor([...query]), tril.tensor([...key]));
  const column = tril.tensor([1, products.size, 1], products.read());
  const sums = tril.runningAverage(column, { sum: true }).output;
  return { products: [...products.read()], sums: [...sums.read()] };
}

function joining(tril: Tril, { shares, values }: MotionLessons['joining']['ask']) {
  const count = shares.length;
  const soFar = Array.from({ length: count }, (_, row) =>
    shares.map((share, col) => (col <= row ? share : 0)),
  );
  const left = tril.tensor(soFar);
  const partial = tril.matmul(left, upload(tril, values));
  const sums = tril.matmul(left, ones(tril, count, 1));
  return {
    partial: download(partial),
    blends: download(tril.divide(partial, sums)),
    sums: [...sums.read()],
  };
}

export const motionAnswers: Answers<MotionLessons> = { meeting, joining };
