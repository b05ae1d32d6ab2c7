// The runner ends a worker that says nothing for a minute. Calls of the core are synchronous: between two tests it may speak.
import { afterEach } from 'vitest';

afterEach(() => new Promise(setImmediate));
