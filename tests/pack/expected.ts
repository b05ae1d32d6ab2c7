// What project/compute.js gives: small integers, so that every product and every mean is exact.

const called = {
  product: [
    [7, 10],
    [15, 22],
  ],
  // Equal scores: the mean of the values up to each token.
  attention: [
    [1, 2],
    [2, 3],
  ],
  refused: {
    isTrilError: true,
    name: 'TrilError',
    call: 'matmul',
    argument: 'b',
    shapes: { a: [2, 2], b: [3, 1] },
  },
};

/** Of `tril` and of `tril/worker`; threads are the Worker's. */
export const expected = (threads = 1) => ({
  here: { ...called, threads: 1 },
  worker: { ...called, threads },
});
