import type { Rollup } from 'vite';

/**
 * Puts modules that the same pages need into one file. Rollup also sets apart those that a figure further down imports, though
 * the page has them by then: a chapter was up to ninety files, most of them of a kilobyte or two.
 */
export function chunksByPages(): (id: string, meta: Rollup.ManualChunkMeta) => string | undefined {
  const names = new WeakMap<Rollup.ManualChunkMeta, Map<string, string>>(); // one for each build
  return (id, meta) => {
    let known = names.get(meta);
    if (!known) names.set(meta, (known = namesOf(meta)));
    return known.get(id);
  };
}

/** For each module that several entries reach by static imports, a name for this set of entries. */
function namesOf({ getModuleIds, getModuleInfo }: Rollup.ManualChunkMeta): Map<string, string> {
  const reachedFrom = new Map<string, number[]>();
  const entries = [...getModuleIds()].filter((id) => getModuleInfo(id)?.isEntry).sort();
  for (const [index, entry] of entries.entries()) {
    const seen = new Set([entry]);
    for (const id of seen) {
      for (const imported of getModuleInfo(id)?.importedIds ?? []) seen.add(imported);
    }
    for (const id of seen) reachedFrom.set(id, [...(reachedFrom.get(id) ?? []), index]);
  }
  const shared = [...reachedFrom].filter(
    ([id, from]) => from.length > 1 && !getModuleInfo(id)?.isEntry,
  );
  return new Map(shared.map(([id, from]) => [id, `shared-${from.join('-')}`]));
}
