import { compute } from './compute.js';

const threads = Number(new URLSearchParams(globalThis.location.search).get('threads') ?? 1);
globalThis.computed = compute(threads);
