// PyTorch, if python3 has it (Debian: python3-torch), in a separate process that measures its own times: pytorch.py.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { peerEnvironment } from '../environment.mjs';

const script = fileURLToPath(new URL('pytorch.py', import.meta.url));
/** The system's own comes first: PATH may have another before it. */
const interpreters = ['/usr/bin/python3', 'python3'];

/** Starts it; resolves to { version, kernels, ask, end }, or to undefined without PyTorch. */
async function start(python, threads) {
  const child = spawn(python, [script], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...peerEnvironment(threads) },
  });
  const ended = new Promise((resolve) => {
    child.on('error', resolve);
    child.on('exit', resolve);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await Promise.race([lines.next(), ended.then(() => ({}))]);
    return value === undefined ? undefined : JSON.parse(value);
  };
  const first = await next();
  if (!first) return undefined;
  return {
    version: first.version,
    kernels: first.kernels,
    ask: async (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const answer = await next();
      if (!answer) throw new Error('PyTorch has ended');
      if (answer.failed) throw new Error(answer.failed);
      return answer;
    },
    end: () => child.stdin.end(),
  };
}

/** The measurements of training.py: [{ name, times: { subject: milliseconds per step, by rounds } }]. */
export function trainingTimes(program, settings) {
  const training = fileURLToPath(new URL('training.py', import.meta.url));
  const options = Object.entries({ program, ...settings });
  const words = options.flatMap(([name, value]) => [`--${name}`, `${value}`]);
  for (const python of interpreters) {
    const { status, stdout } = spawnSync(python, [training, '--json', ...words], {
      ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
    if (status === 0)
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
  }
  return [];
}

/** Writes nested tensors to files by a name each: { name: [file, shape] }. */
function written(folder, tensors) {
  const files = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    if (typeof tensor.read !== 'function') {
      Object.assign(files, written(folder, tensor));
      continue;
    }
    const file = join(folder, name);
    writeFileSync(file, new Uint8Array(tensor.read().buffer));
    files[name] = [file, tensor.shape];
  }
  return files;
}

/** The peer, or undefined if it is not installed; `end` ends its process. */
export async function pyTorch(threads) {
  let session;
  for (const python of interpreters) session ??= await start(python, threads);
  if (!session) return undefined;
  const { version, kernels, ask, end } = session;
  return {
    end,
    /** Lines for the report on its BLAS, the kernels that this chose, and its threading. */
    kernels: kernels.map((line) => `PyTorch ${version}: ${line}`),
    /** Computes the case once, on `given`, Tril's tensors: { subject, result, time }. */
    async open(about, given, threads) {
      const folder = mkdtempSync(join(tmpdir(), 'tril-pytorch-'));
      try {
        const result = join(folder, 'result');
        await ask({ open: about, arrays: written(folder, given), result, threads });
        const bytes = readFileSync(result);
        return {
          subject: `PyTorch ${version}`,
          result: new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4).slice(),
          time: async ({ batch, rounds }) => (await ask({ time: batch, rounds })).times,
        };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
