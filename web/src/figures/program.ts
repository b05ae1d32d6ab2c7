// A computation, stated once, as programs in three dialects: NumPy, PyTorch and C++ with the library. Each dialect
// writes the operations in its own words; lines of one language stand where it differs.
import { cppProgram, numpyProgram, torchProgram, type Program } from './code';
import { Cpp, type OwnCpp } from './program-cpp';
import type { Operations } from './program-operations';
import { Python, type OwnPython } from './program-python';

/** Text of each language; `python` is for both libraries. */
export interface Own extends OwnPython, OwnCpp {}

export interface Dialect extends Operations {
  /** The text of this language; empty if there is none. */
  by(own: Own): string;
}

export type Language = 'numpy' | 'pytorch' | 'cpp';

export interface Steps {
  /** Lines, or several at once; empty ones are omitted. */
  readonly steps: readonly (string | false)[];
  /** An expression for a matrix, such as its name. */
  readonly result: string | Own;
}

type Given = Pick<Program, 'about' | 'inputs' | 'expected'>;

/** The computation in each language, written on demand. */
export function programs(given: Given, state: (say: Dialect, language: Language) => Steps) {
  const program = (language: Language) => {
    const say = language === 'cpp' ? new Cpp(given.inputs) : new Python(language);
    const { steps, result } = state(say, language);
    const found = typeof result === 'string' ? result : say.by(result);
    return { ...given, steps: [say.helpers(), ...steps].filter(Boolean).join('\n'), result: found };
  };
  return {
    numpy: () => numpyProgram(program('numpy')),
    pytorch: () => torchProgram(program('pytorch')),
    cpp: () => cppProgram(program('cpp')),
  };
}
