import { TrilError } from './error.js';
import { isError } from './kinds.js';
import { ofNode } from './builtin.js';

/** The parts of Node's own modules that reading a folder needs. */
interface NodeFiles {
  readonly promises: {
    readdir(folder: string): Promise<string[]>;
    stat(path: string): Promise<{ isFile(): boolean }>;
  };
  openAsBlob(path: string): Promise<Blob>;
}

/** Whether a file can be part of a model. */
const isOfModel = (name: string) => /\.(json|txt|safetensors|gguf)$/.test(name);

/** The system's message, without its path and its call. */
const reasonOf = (error: unknown) =>
  (isError(error) ? error.message : String(error)).replace(/, .*/s, '');

/**
 * The files in a folder on disk that can be part of a model, or the .gguf file with this path; none is read yet.
 *
 * @throws TrilError outside Node, and where the folder cannot be read
 */
export async function filesInFolder(call: string, folder: string): Promise<Map<string, Blob>> {
  const files = ofNode<NodeFiles>('fs');
  if (!files) {
    throw new TrilError(
      call,
      'files',
      'are the path of a folder, which only Node can read: give files',
    );
  }
  const { readdir, stat } = files.promises;
  const found = new Map<string, Blob>();
  try {
    if (folder.endsWith('.gguf') && (await stat(folder)).isFile()) {
      return found.set(folder.replace(/.*[\\/]/, ''), await files.openAsBlob(folder));
    }
    const names = await readdir(folder);
    const modules = names.filter((name) => /^\d+_\w+$/.test(name)); // of a sentence encoder
    const ofModules = await Promise.all(
      modules.map(async (name) =>
        (await readdir(`${folder}/${name}`).catch((): string[] => []))
          .filter((file) => file === 'config.json')
          .map((file) => `${name}/${file}`),
      ),
    );
    for (const name of [...names.filter(isOfModel), ...ofModules.flat()]) {
      const path = `${folder}/${name}`;
      if ((await stat(path)).isFile()) found.set(name, await files.openAsBlob(path));
    }
  } catch (error) {
    throw new TrilError(call, 'files', `${folder}: ${reasonOf(error)}`);
  }
  return found;
}
