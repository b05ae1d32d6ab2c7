// What a visitor has written for each exercise, and which are solved: kept in this browser.
import { keep, kept } from '../../state/kept';
import { exerciseIds, mostCode, type ExerciseId } from '../../state/write';

const place = 'tril.write';

interface Written {
  readonly code?: string;
  readonly solved?: boolean;
}
type All = Partial<Record<ExerciseId, Written>>;

/** Whatever is not as it was written here is left out. */
function read(): All {
  let found: unknown;
  try {
    found = JSON.parse(kept(place) ?? '{}');
  } catch {
    found = {};
  }
  const entries = exerciseIds.flatMap((id) => {
    const { code, solved } = Object((found as All | null)?.[id]) as Written;
    const isCode = typeof code === 'string' && code.length <= mostCode;
    const one = { ...(isCode && { code }), ...(solved === true && { solved }) };
    return Object.keys(one).length > 0 ? [[id, one] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** As of now; changes are kept at once. */
export class Progress {
  #all = $state.raw<All>(read());

  codeOf(id: ExerciseId): string | undefined {
    return this.#all[id]?.code;
  }

  isSolved(id: ExerciseId): boolean {
    return this.#all[id]?.solved ?? false;
  }

  /** `code` undefined: as it was given. */
  write(id: ExerciseId, code: string | undefined): void {
    const { solved } = this.#all[id] ?? {};
    this.#put(id, { ...(code !== undefined && { code }), ...(solved && { solved }) });
  }

  solve(id: ExerciseId): void {
    if (!this.isSolved(id)) this.#put(id, { ...this.#all[id], solved: true });
  }

  #put(id: ExerciseId, one: Written): void {
    this.#all = { ...this.#all, [id]: one };
    keep(place, JSON.stringify(this.#all));
  }
}
