// The results of a program's lines: a row for each, with the matrices that it assigned, or computed last.
import type { Ran } from '../../compute/worker/lessons/write';
import { numberCell } from '../../figures/format';
import type { Shown } from '../../figures/graph';
import { numerals } from '../../figures/matrix';
import type { Role } from '../../figures/palette.svelte';
import { word } from '../../figures/scene';
import text from '$texts/write.yaml';

/** Maximum number of rows and columns, and of matrices of one value, that are shown. */
export const mostAlong = 24;
const mostSlices = 4;

interface Value {
  readonly name: string;
  readonly shape: readonly number[];
  /** Its matrices, by their ids in the scene. */
  readonly ids: readonly string[];
  /** It is shown in part only. */
  readonly cut: boolean;
}

export interface Row {
  /** 0: the program's inputs. */
  readonly line: number;
  readonly code: string;
  readonly times: number;
  readonly printed: string;
  readonly values: readonly Value[];
}

const roles: readonly (readonly [RegExp, Role])[] = [
  [/score|logit|^s$|mask|future/iu, 'score'],
  [/weight|attn|attention|prob|^[ap]$|^e$|ones|seen/iu, 'weight'],
  [/^(?:q|quer)/iu, 'q'],
  [/^(?:k|key)/iu, 'k'],
  [/^(?:v|value|y|out|result|joined|same)/iu, 'v'],
];
/** A value without a name is the result of a return. */
const roleOf = (name: string): Role =>
  name === '' ? 'v' : (roles.find(([pattern]) => pattern.test(name))?.[1] ?? 'x');

/** The indices in the axes before rows and columns, in order. */
function frontsOf(shape: readonly number[]): number[][] {
  let all: number[][] = [[]];
  for (const size of shape.slice(0, -2)) {
    all = all
      .flatMap((front) =>
        Array.from({ length: Math.min(size, mostSlices) }, (_, i) => [...front, i]),
      )
      .slice(0, mostSlices);
  }
  return all;
}

const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);

export interface Made {
  readonly rows: readonly Row[];
  readonly shown: Readonly<Record<string, Shown>>;
}

interface Options {
  /** Prefix of the matrices' names, for pages with several programs. */
  readonly prefix: string;
  /** Names of the program's inputs, which stand before its first line. */
  readonly given: readonly string[];
}

export function madeBy(
  { lines, values, error }: Ran,
  code: string,
  { prefix, given }: Options,
): Made {
  const source = code.split('\n');
  const shown: Record<string, Shown> = {};
  const valueOf = (line: number, name: string, node: string, note: string): Value => {
    const found = values[node];
    const shape = found?.shape ?? [];
    if (!found || product(shape) === 0) return { name, shape, ids: [], cut: !found };
    const [height, width] = [1, 1, ...shape].slice(-2);
    const fronts = frontsOf(shape);
    const all = product(shape.slice(0, -2));
    const ids = fronts.map((front) => {
      const id = [
        `${prefix}${line === 0 ? 'given' : `line${line}`}`,
        name || 'made',
        ...front,
      ].join('-');
      shown[id] = {
        ...{ node, front, note },
        look: {
          role: roleOf(name),
          symbol: word(name || text.made, all > 1 ? front.join(', ') : undefined),
          rows: numerals(Math.min(height, mostAlong), text.axes.row),
          cols: numerals(Math.min(width, mostAlong), text.axes.col),
          titled: false,
        },
      };
      return id;
    });
    return { name, shape, ids, cut: all > ids.length || Math.max(height, width) > mostAlong };
  };
  const inputs = given.filter((name) => name in values);
  const first: Row[] =
    inputs.length === 0
      ? []
      : [
          {
            ...{ line: 0, code: '', times: 1, printed: '' },
            values: inputs.map((name) => valueOf(0, name, name, text.why.given)),
          },
        ];
  const own = lines.filter(({ line }) => line <= source.length);
  const rows = own.flatMap(({ line, times, printed, values: bound, nodes }): Row[] => {
    const said = source[line - 1].trim();
    const note = text.why.line({ line, code: said });
    const last = nodes.at(-1);
    const all =
      bound.length === 0 && last !== undefined && isResult(said)
        ? [valueOf(line, '', last, note)]
        : bound.map(({ name, node }) => valueOf(line, name, node, note));
    if (all.length === 0 && printed === '' && error?.line !== line) return [];
    return [{ line, code: said, times, printed, values: all }];
  });
  return { rows: [...first, ...rows], shown };
}

/** Such a line is about the value that it computes last. */
const isResult = (code: string) => /^return\b/u.test(code) || /^[\w.]+\(.*\)$/u.test(code);

/** Size in pixels of a cell, for a number of columns and a width. */
export const cellFor = (cols: number, width: number): number =>
  cols * 34 + 30 <= width && cols <= 10
    ? 34
    : Math.max(9, Math.min(numberCell, Math.floor((width - 30) / cols)));
