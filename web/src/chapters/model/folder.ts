// A folder of the visitor's: the files of a model in it, wherever they were dropped.

/** A file, and where it lies in what was given. */
interface Found {
  readonly path: string;
  readonly file: File;
}

interface Folder {
  readonly name: string;
  readonly files: readonly File[];
}

const wanted = /(?:^|\/)(?:[^/]+\.json|[^/]+\.safetensors|merges\.txt)$/u;
const depthOf = (path: string) => path.split('/').length;

/** The model's files are beside its config.json, the outermost if there are several; null where there is none. */
export function folderOf(found: readonly Found[]): Folder | null {
  const configs = found.filter(({ path }) => /(?:^|\/)config\.json$/u.test(path));
  const [first] = configs.sort((a, b) => depthOf(a.path) - depthOf(b.path));
  if (!first) return null;
  const folder = first.path.slice(0, -'config.json'.length);
  const beside = found.filter(
    ({ path }) =>
      wanted.test(path) && path.startsWith(folder) && depthOf(path) === depthOf(first.path),
  );
  const name = folder.replace(/\/$/u, '').split('/').at(-1)!;
  return { name, files: beside.map(({ file }) => file) };
}

/** Of an input of files or of a folder. */
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
  // Git's own folder has thousands of files, and what was fetched may have a cache.
  if (path !== '' && entry.name.startsWith('.')) return [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: FileSystemEntry[] = [];
  // A reader gives some at a time, and none when there are no more.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) =>
      reader.readEntries(done, fail),
    );
    if (some.length === 0) break;
    all.push(...some);
  }
  return (await Promise.all(all.map((one) => below(one, `${full}/`)))).flat();
}

/** Of what was dropped: files, folders, or both. Asked for at once: behind the event nothing is left of it. */
export async function droppedFiles(data: DataTransfer): Promise<Found[]> {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry());
  const files = chosenFiles(data.files);
  if (entries.every((entry) => entry === null)) return files;
  return (await Promise.all(entries.map((entry) => (entry ? below(entry, '') : [])))).flat();
}
