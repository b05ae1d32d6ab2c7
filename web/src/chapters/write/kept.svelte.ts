// The visitor's code for each exercise, and the solved exercises: kept in this browser, and exported as a file.
import { keep, kept } from '../../state/kept';
import { exerciseIds, mostCode, type ExerciseId } from '../../state/write';

const place = 'tril.write';

interface Written {
  readonly code?: string;
  readonly solved?: boolean;
}
type All = Partial<Record<ExerciseId, Written>>;

/** Entries of any other form are skipped. */
function read(found: unknown): All {
  const entries = exerciseIds.flatMap((id) => {
    const { code, solved } = Object((found as All | null)?.[id]) as Written;
    const isCode = typeof code === 'string' && code.length <= mostCode;
    const one = { ...(isCode && { code }), ...(solved === true && { solved }) };
    return Object.keys(one).length > 0 ? [[id, one] as const] : [];
  });
  return Object.fromEntries(entries);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Maximum number of characters of an imported file: more than all programs together. */
const mostFile = 400_000;

/** The current state; changes are stored at once. */
export class Progress {
  #all = $state.raw<All>(read(parsed(kept(place) ?? '')));

  codeOf(id: ExerciseId): string | undefined {
    return this.#all[id]?.code;
  }

  isSolved(id: ExerciseId): boolean {
    return this.#all[id]?.solved ?? false;
  }

  get solved(): number {
    return exerciseIds.filter((id) => this.isSolved(id)).length;
  }

  /** The complete state, for `take`. */
  get file(): string {
    return JSON.stringify({ of: place, version: 1, exercises: this.#all }, null, 1);
  }

  /** Replaces the programs by those of a file; solved exercises stay solved. False if it is no such file. */
  take(file: string): boolean {
    const found = file.length <= mostFile ? parsed(file) : null;
    const { of, version, exercises } = Object(found) as Record<string, unknown>;
    if (of !== place || version !== 1 || typeof exercises !== 'object') return false;
    const taken = read(exercises);
    const entries = exerciseIds.flatMap((id) => {
      const one = { ...this.#all[id], ...taken[id] };
      return Object.keys(one).length > 0 ? [[id, one] as const] : [];
    });
    this.#keep(Object.fromEntries(entries));
    return true;
  }

  /** `code` undefined: the given code. */
  write(id: ExerciseId, code: string | undefined): void {
    const { solved } = this.#all[id] ?? {};
    this.#put(id, { ...(code !== undefined && { code }), ...(solved && { solved }) });
  }

  solve(id: ExerciseId): void {
    if (!this.isSolved(id)) this.#put(id, { ...this.#all[id], solved: true });
  }

  #put(id: ExerciseId, one: Written): void {
    this.#keep({ ...this.#all, [id]: one });
  }

  #keep(all: All): void {
    this.#all = all;
    keep(place, JSON.stringify(all));
  }
}
