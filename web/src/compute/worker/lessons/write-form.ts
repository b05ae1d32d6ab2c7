// An exercise as it is written in the page's form.
import { TrilError } from 'tril';
import type { ExerciseInput, WrittenExercise } from 'tril/notebook';

export interface ExerciseForm {
  readonly title: string;
  readonly task: string;
  readonly program: string;
  readonly skeleton: string;
  /** One hint per line. */
  readonly hints: string;
  /** One case per line: `x: 2 4 3; n = 2`. */
  readonly cases: string;
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function caseOf(line: string): WrittenExercise['cases'][number] {
  const inputs: Record<string, ExerciseInput> = {};
  const numbers: Record<string, number> = {};
  for (const part of line.split(';')) {
    const shape = /^\s*(\w+)\s*:\s*(\d+(?:[\s,x×]+\d+)*)\s*$/u.exec(part);
    const number = /^\s*(\w+)\s*=\s*(-?[\d.]+)\s*$/u.exec(part);
    if (shape) inputs[shape[1]] = { shape: shape[2].split(/[\s,x×]+/u).map(Number) };
    else if (number) numbers[number[1]] = Number(number[2]);
    else throw new TrilError('page', 'cases', `“${line}” is not like “x: 2 4 3; n = 2”`);
  }
  return { name: line.slice(0, 60), inputs, numbers };
}

/** The function is the last that the skeleton defines. @throws TrilError if there is none */
export function exerciseOfForm({ hints, cases, ...form }: ExerciseForm): WrittenExercise {
  const found = [...form.skeleton.matchAll(/^def\s+(\w+)\s*\(([^)]*)\)\s*:/gmu)].at(-1);
  if (!found) throw new TrilError('page', 'skeleton', 'defines no function');
  const [, name, list] = found;
  const parameters = list.split(',').map((one) => one.trim());
  return {
    ...{ ...form, id: name, name, parameters },
    hints: linesOf(hints),
    cases: linesOf(cases).map(caseOf),
  };
}
