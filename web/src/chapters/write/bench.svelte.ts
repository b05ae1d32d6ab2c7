// A program that is being written: the results of its lines in the last run, and the explanation of their cells.
import { untrack } from 'svelte';
import type { Ran, WriteLessons } from '../../compute/worker/lessons/write';
import { Query } from '../../compute/page/query.svelte';
import { useFigure } from '../../figures/figure.svelte';
import { GraphScene, costOf, programsOf } from '../../figures/graph';
import { whyAt, type Why } from '../../figures/why';
import type { Cell } from '../../state/cell';
import type { LineMark } from './editor';
import { madeBy, mostAlong } from './rows';
import text from '$texts/write.yaml';

/** Milliseconds after the last key. */
const pause = 150;

type Asked = WriteLessons['written']['ask'];

/** A program, and its results. */
interface Good {
  readonly asked: Asked;
  readonly ran: Ran;
}

export class Bench {
  /** The line of the cursor, and the one whose row is pointed at. */
  at = $state(0);
  pointed = $state(0);
  readonly answer: Query<'written'>;
  /** The last program that could be parsed. */
  #good = $state.raw<Good | null>(null);
  readonly #prefix: string;
  readonly #given: () => readonly string[];

  /** `prefix` of its matrices' names; `given`: the names of an exercise's arguments. */
  constructor(prefix: string, ask: () => Asked | null, given: () => readonly string[] = () => []) {
    this.#prefix = prefix;
    this.#given = given;
    this.answer = new Query('written', ask);
    $effect.pre(() => {
      const { now, asked } = this.answer;
      if (now && asked && now.lines.length > 0) untrack(() => (this.#good = { asked, ran: now }));
    });
  }

  /** If a program cannot be parsed, the results of the previous one, up to the line in question. */
  readonly #shown = $derived.by((): Good | null => {
    const { now, asked } = this.answer;
    if (!now || !asked) return null;
    const good = this.#good;
    const isNew =
      now.lines.length > 0 ||
      !now.error ||
      good?.asked.exercise !== asked.exercise ||
      good.asked.made !== asked.made;
    if (isNew) return { asked, ran: now };
    const [lines, before] = [asked.code.split('\n'), good.asked.code.split('\n')];
    let same = 0;
    while (same < now.error.line - 1 && lines[same] === before[same]) ++same;
    const { ran } = good;
    return {
      asked,
      ran: { ...ran, error: now.error, lines: ran.lines.filter(({ line }) => line <= same) },
    };
  });

  readonly made = $derived.by(() => {
    const shown = this.#shown;
    return (
      shown && madeBy(shown.ran, shown.asked.code, { prefix: this.#prefix, given: this.#given() })
    );
  });

  readonly scene = $derived.by(() => {
    const [made, shown] = [this.made, this.#shown];
    if (!made || !shown) return null;
    const { graph, values } = shown.ran;
    return new GraphScene<string>({ graph, values, shown: made.shown, most: mostAlong });
  });

  readonly figure = useFigure<string>({
    there: (cell) => cell.matrix in (this.scene?.drawn ?? {}),
    why: (cell) => this.#why(cell),
    sources: (cell) => (this.whole && this.scene?.sources(cell)) ?? [],
    narrow: 780,
  });

  #why(cell: Cell): Why | null {
    const { scene, whole } = this;
    if (!scene || !(cell.matrix in scene.drawn)) return null;
    if (whole) return scene.why(cell);
    return whyAt(scene.drawn[cell.matrix], cell, () => ({ parts: [], note: text.why.many }));
  }

  /** The highlighted lines of the editor. */
  readonly marks = $derived.by((): LineMark[] => {
    const { now } = this.answer;
    const verdict = now?.verdict;
    const wrong = now?.cells
      ? now.cells.flatMap(({ error }) => error?.line ?? [])
      : (now?.error?.line ?? []);
    const errors = [wrong].flat();
    return [
      ...(this.pointed > 0 ? [{ line: this.pointed, kind: 'pointed' } as const] : []),
      ...(errors.length > 0
        ? errors.map((line) => ({ line, kind: 'error' }) as const)
        : verdict?.line !== undefined
          ? [{ line: verdict.line, kind: 'mistake' } as const]
          : []),
    ];
  });

  /** The complete graph; null if some of its numbers are missing. */
  readonly whole = $derived.by(() => {
    const shown = this.#shown;
    if (!shown || shown.ran.graph.nodes.length === 0) return null;
    const { graph, values } = shown.ran;
    return graph.nodes.every(({ name }) => name in values) ? { graph, values } : null;
  });
  readonly cost = $derived(this.whole && costOf(this.whole));
  programs(about: string) {
    const last = this.whole?.graph.nodes.at(-1);
    const results = this.answer.now?.results ?? [];
    const show = results.length > 0 ? results : last ? [last.name] : [];
    return this.whole && show.length > 0 ? programsOf(about, this.whole, show) : {};
  }
}

/** Calls `hear` with the last typed text, when there is a pause. */
export function afterPause<Typed>(hear: (typed: Typed) => void): (typed: Typed) => void {
  let timer: ReturnType<typeof setTimeout>;
  return (typed) => {
    clearTimeout(timer);
    timer = setTimeout(() => hear(typed), pause);
  };
}
