// The results of project/compute.js: small integers, so that every product and every mean is exact.

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

/** The results of `tril` and of `tril/worker`; only the Worker has threads. */
export const expected = (threads = 1) => ({
  here: { ...called, threads: 1 },
  worker: { ...called, threads },
});
