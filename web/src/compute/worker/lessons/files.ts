// Reads a visitor's files as tensors by name, in the Worker; nothing is sent anywhere. Unreadable files are reported in
// words, with the position of the problem.
import { TrilError, type Tril } from 'tril';
import type { TensorData } from '../../shared/lessons/layouts';

export interface GivenFile {
  readonly name: string;
  readonly bytes: ArrayBuffer;
}

export interface FoundTensor extends TensorData {
  /** Its name in the file, or the file's own name. */
  readonly name: string;
  readonly file: string;
  /** The type in which it was stored, such as "float16". */
  readonly type: string;
}

export interface UnreadFile {
  readonly file: string;
  readonly problem: string;
}

/** "q" of "folder/q.npy". */
const stem = (name: string) => name.replace(/^.*[\\/]/u, '').replace(/\.[^.]*$/u, '');

export async function readFile(
  tril: Tril,
  { name, bytes }: GivenFile,
): Promise<{ tensors: FoundTensor[]; unread: UnreadFile[] }> {
  const arrays = await tril.readArrays(bytes, name);
  const tensors = arrays.map(({ name: own, type, tensor }) => {
    const found = { name: own || stem(name), file: name, type };
    const { shape } = tensor;
    const data = tensor.read();
    tensor.dispose();
    return { ...found, shape, data };
  });
  const unread = (arrays.skipped ?? []).map((entry) => {
    return { file: `${name}: ${entry.name}`, problem: entry.problem };
  });
  return { tensors, unread };
}

export async function readFiles(
  tril: Tril,
  files: readonly GivenFile[],
): Promise<{ tensors: FoundTensor[]; unread: UnreadFile[] }> {
  const tensors: FoundTensor[] = [];
  const unread: UnreadFile[] = [];
  for (const file of files) {
    try {
      const found = await readFile(tril, file);
      for (const tensor of found.tensors) tensors.push(tensor);
      for (const entry of found.unread) unread.push(entry);
    } catch (error) {
      const problem = error instanceof TrilError ? error.problem : (error as Error).message;
      unread.push({ file: file.name, problem });
    }
  }
  return { tensors, unread };
}
