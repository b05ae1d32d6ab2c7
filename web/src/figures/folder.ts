// A folder of the visitor's: finds the files of a model, wherever they were dropped.

/** A file, and its path in the given data. */
export interface Found {
  readonly path: string;
  readonly file: File;
}

interface Folder {
  readonly name: string;
  readonly files: readonly File[];
}

const wanted = /(?:^|\/)(?:[^/]+\.json|[^/]+\.safetensors|[^/]+\.gguf|merges\.txt|vocab\.txt)$/u;
const depthOf = (path: string) => path.split('/').length;

/** Path of the folder of the outermost config.json, with the slash; null if there is none. */
function innerOf(found: readonly Found[]): string | null {
  const configs = found.filter(({ path }) => /(?:^|\/)config\.json$/u.test(path));
  const [first] = configs.sort((a, b) => depthOf(a.path) - depthOf(b.path));
  return first?.path.slice(0, -'config.json'.length) ?? null;
}

const nameOf = (folder: string) => folder.replace(/\/$/u, '').split('/').at(-1)!;

/** The model's files, beside its config.json (the outermost if there are several); null if there is none. */
export function folderOf(found: readonly Found[]): Folder | null {
  const folder = innerOf(found);
  if (folder === null) return null;
  const beside = found.filter(
    ({ path }) => wanted.test(path) && path.startsWith(folder) && depthOf(path) === depthOf(folder),
  );
  return { name: nameOf(folder), files: beside.map(({ file }) => file) };
}

/**
 * A sentence encoder's files by their paths in its folder, including those in its modules' folders:
 * 1_Pooling/config.json. Without a folder, its GGUF file.
 */
export function encoderOf(
  found: readonly Found[],
): { readonly name: string; readonly files: Readonly<Record<string, File>> } | null {
  const folder = innerOf(found);
  if (folder === null) {
    const gguf = found.find(({ path }) => path.endsWith('.gguf'));
    return gguf ? { name: gguf.file.name, files: { [gguf.file.name]: gguf.file } } : null;
  }
  const inside = found
    .filter(({ path }) => wanted.test(path) && path.startsWith(folder))
    .map(({ path, file }) => [path.slice(folder.length), file] as const)
    .filter(([path]) => !path.includes('/') || /^\d+_\w+\/config\.json$/u.test(path));
  return { name: nameOf(folder), files: Object.fromEntries(inside) };
}

/** The files of an input for files or folders. */
export const chosenFiles = (list: FileList): Found[] =>
  Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file }));

async function below(entry: FileSystemEntry, path: string): Promise<Found[]> {
  const full = path + entry.name;
  if (entry.isFile) {
    if (!wanted.test(full)) return [];
    const file = await new Promise<File>((done, fail) =>
      (entry as FileSystemFileEntry).file(done, fail),
    );
    return [{ path: full, file }];
  }
  // Git's own folder has thousands of files, and downloads may have a cache.
  if (path !== '' && entry.name.startsWith('.')) return [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: FileSystemEntry[] = [];
  // A reader returns some entries at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) =>
      reader.readEntries(done, fail),
    );
    if (some.length === 0) break;
    all.push(...some);
  }
  return (await Promise.all(all.map((one) => below(one, `${full}/`)))).flat();
}

/** The dropped files, folders or both. Entries are requested at once: the data is gone after the event. */
export async function droppedFiles(data: DataTransfer): Promise<Found[]> {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry());
  const files = chosenFiles(data.files);
  if (entries.every((entry) => entry === null)) return files;
  return (await Promise.all(entries.map((entry) => (entry ? below(entry, '') : [])))).flat();
}
