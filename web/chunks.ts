import type { Rollup } from 'vite';

/** Characters of code before minification: a smaller file costs a page more than unneeded code in another file. */
const SMALL = 1300;

/**
 * Puts modules that the same pages need into one file. Rollup also separates modules that a lower figure imports,
 * though the page has them by then: a chapter was up to ninety files, most of them of a kilobyte or two. A file that
 * would be small is merged into one that some more pages need.
 */
export function chunksByPages(): (id: string, meta: Rollup.ManualChunkMeta) => string | undefined {
  const names = new WeakMap<Rollup.ManualChunkMeta, Map<string, string>>(); // one for each build
  return (id, meta) => {
    let known = names.get(meta);
    if (!known) names.set(meta, (known = namesOf(meta)));
    return known.get(id);
  };
}

/** A file: the entries that need it, and its modules. */
interface Shared {
  from: number[];
  ids: string[];
}

/** For each module that several entries reach by static imports, a name for the entries that get its file. */
function namesOf({ getModuleIds, getModuleInfo }: Rollup.ManualChunkMeta): Map<string, string> {
  const reachedFrom = new Map<string, number[]>();
  const entries = [...getModuleIds()].filter((id) => getModuleInfo(id)?.isEntry).sort();
  const importsOf = (id: string) => getModuleInfo(id)?.importedIds ?? [];
  for (const [index, entry] of entries.entries()) {
    const seen = new Set([entry]);
    for (const id of seen) {
      for (const imported of importsOf(id)) seen.add(imported);
    }
    for (const id of seen) reachedFrom.set(id, [...(reachedFrom.get(id) ?? []), index]);
  }
  const files = new Map<string, Shared>();
  for (const [id, from] of reachedFrom) {
    if (from.length < 2 || getModuleInfo(id)?.isEntry) continue;
    const name = from.join('-');
    if (!files.has(name)) files.set(name, { from, ids: [] });
    files.get(name)!.ids.push(id);
  }

  const sizeOf = ({ ids }: Shared) =>
    ids.reduce((sum, id) => sum + (getModuleInfo(id)?.code?.length ?? 0), 0);
  const isWithin = (some: readonly number[], all: readonly number[]) =>
    some.every((index) => all.includes(index));
  /**
   * Files by the number of pages that need them, in descending order: the imports of a small one have their place by
   * then.
   */
  const widest = [...files.values()].sort((a, b) => b.from.length - a.from.length);
  const fileOf = new Map(widest.flatMap((file) => file.ids.map((id) => [id, file])));
  for (const small of widest.filter((file) => sizeOf(file) < SMALL)) {
    const imported = small.ids.flatMap(importsOf).map((id) => fileOf.get(id));
    // Its pages must have its imports, too: files would import each other otherwise.
    const place = widest.findLast(
      (file) =>
        file !== small &&
        file.ids.length > 0 &&
        isWithin(small.from, file.from) &&
        imported.every((one) => !one || one === small || isWithin(file.from, one.from)),
    );
    if (!place) continue;
    for (const id of small.ids) fileOf.set(id, place);
    place.ids.push(...small.ids);
    small.ids = [];
  }
  return new Map([...fileOf].map(([id, { from }]) => [id, `shared-${from.join('-')}`]));
}
