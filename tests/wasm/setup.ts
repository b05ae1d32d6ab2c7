// The runner ends a worker that is silent for a minute. Calls of the core are synchronous: between two tests the worker
// can respond.
import { afterEach } from 'vitest';

afterEach(() => new Promise(setImmediate));
