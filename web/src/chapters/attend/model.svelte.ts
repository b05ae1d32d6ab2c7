// What is on the page follows from the address: text to tokens, head to weights, both to a request, the
// Worker's answer to a scene. Changes go the other way, into the address, and nowhere else.
import { getContext, setContext } from 'svelte';
import { Query } from '../../compute/page/query.svelte';
import type { AttendRequest, MatrixData, MatrixId } from '../../compute/page/protocol';
import type { AttendResult } from '../../compute/worker/lessons/attend';
import { openChapter, type OpenChapter } from '../../shell/chapter.svelte';
import {
  decode,
  defaults,
  encode,
  maxText,
  type AttendState,
  type Cell,
  type Mode,
} from '../../state/attend';
import {
  applyEdits,
  contentWidth,
  headWeights,
  type Edit,
  type HeadId,
  type HeadWeights,
  type WeightId,
} from '../../compute/shared/handmade/attend-heads';
import { asTyped } from '../../figures/format';
import { madeOf } from '../../figures/graph-values';
import { lateCode } from '../../figures/late-code';
import { parseNumbers, replaceNumber, type Numbers } from '../../entered/numbers';
import type { Entered } from '../../entered/labels';
import { requestOf } from '../../entered/attend';
import { sceneOf } from '../../scenes/attend/scene';
import { isSquare, type StepId } from '../../state/attend-steps';
import text from '$texts/attend.yaml';
import { tokenize } from '../../entered/tokens';

interface Job {
  readonly request: AttendRequest;
  readonly entered: Entered;
  readonly head: HeadId;
  readonly strict: number;
  readonly text: string;
  readonly unedited: HeadWeights;
}

class AttendModel {
  readonly chapter: OpenChapter<AttendState> = openChapter({ encode, decode });
  readonly address = this.chapter.address;

  readonly state: AttendState = $derived(this.address.state);
  // Single fields, so that a step along the figure computes nothing anew.
  readonly #text = $derived(this.state.text);
  readonly #by = $derived(this.state.by);
  readonly #head = $derived(this.state.head);
  readonly strict = $derived(this.state.strict);
  readonly #edits = $derived(this.state.edits);
  readonly causal = $derived(this.state.mask === 'causal');

  /** What was entered, as far as it makes sense. */
  readonly entered: ReturnType<typeof tokenize> | Numbers = $derived(
    this.#by === 'numbers' ? parseNumbers(this.#text) : tokenize(this.#text, this.#by),
  );
  readonly empty = $derived(
    this.entered.kind === 'tokens'
      ? this.entered.tokens.length === 0
      : this.entered.kind === 'numbers' && this.entered.matrix.data.length === 0,
  );
  readonly #job: Job | null = $derived.by(() => {
    const entered = this.entered;
    if (entered.kind === 'problem' || this.empty) return null;
    const hands = entered.kind === 'tokens';
    const width = hands ? contentWidth : entered.matrix.cols;
    const unedited = headWeights(this.#head, width, hands, { strict: this.strict, turn: true });
    const weights = applyEdits(unedited, this.#edits);
    const request = requestOf(entered, weights, this.causal);
    return {
      ...{ request, entered, head: this.#head, strict: this.strict },
      ...{ text: this.#text, unedited },
    };
  });

  /** What each request was made of. */
  readonly #jobs = new WeakMap<AttendRequest, Job>();
  readonly #answer = new Query('attend', () => {
    const job = this.#job;
    if (job) this.#jobs.set(job.request, job);
    return job?.request ?? null;
  });
  readonly #done: { readonly job: Job; readonly result: AttendResult } | null = $derived.by(() => {
    const { asked, now } = this.#answer;
    if (!asked || !now || this.empty) return null;
    return { job: this.#jobs.get(asked)!, result: now };
  });
  #before = $state.raw<AttendResult | null>(null);
  #last: { job: Job; result: AttendResult } | null = null;

  readonly scene = $derived.by(() => {
    if (!this.#done) return null;
    const { job, result } = this.#done;
    const { entered, unedited, request } = job;
    return sceneOf({ entered, causal: request.causal, result, before: this.#before, unedited });
  });

  constructor() {
    // Only an edit, or the mask, marks what it has changed; another text or head changes everything.
    $effect.pre(() => {
      const answer = this.#done;
      const last = this.#last;
      if (answer === last) return;
      const comparable =
        answer &&
        last &&
        last.job.head === answer.job.head &&
        last.job.strict === answer.job.strict &&
        (last.job.text === answer.job.text || answer.job.entered.kind === 'numbers');
      this.#before = comparable ? last.result : null;
      this.#last = answer;
    });
  }

  get anythingChanged(): boolean {
    return Object.values(this.scene?.drawn ?? {}).some(({ changed }) => changed !== null);
  }

  setText(typed: string, undoable: boolean): void {
    this.address.set({ text: typed.slice(0, maxText), pin: null }, { undoable });
  }

  /** The text that stood here before the visitor went over to numbers, and the other way round. */
  #other = '';
  setMode(by: Mode): void {
    const { by: before, text: old } = this.state;
    if (by === before) return;
    let changed = old;
    let edits = this.state.edits;
    if ((by === 'numbers') !== (before === 'numbers')) {
      edits = [];
      const fits = by === 'numbers' && parseNumbers(old).kind === 'numbers' && old.trim() !== '';
      if (!fits) {
        changed = this.#other || (by === 'numbers' ? text.input.exampleNumbers : defaults.text);
        this.#other = old;
      }
    }
    this.address.set({ by, pin: null, edits, text: changed }, { undoable: true });
  }

  setHead(head: HeadId): void {
    this.address.set(
      { head, edits: [], pin: this.#carriedPin(this.state.step) },
      { undoable: true },
    );
  }

  setCausal(causal: boolean): void {
    this.address.set({ mask: causal ? 'causal' : 'none' }, { undoable: true });
  }

  setStep(step: StepId): void {
    this.address.set({ step, pin: this.#carriedPin(step) }, { undoable: false });
  }

  setPin(pin: Cell | null): void {
    this.address.set({ pin }, { undoable: false });
  }

  /** A pin goes along where the next step has the same cell: same query, same key. */
  #carriedPin(step: StepId): Cell | null {
    const { pin } = this.state;
    if (!pin || !this.scene || pin.matrix === step) return pin;
    if (madeOf<MatrixId>(this.scene.showing, step).sources.includes(pin.matrix)) return pin;
    if (isSquare(pin.matrix) && isSquare(step)) return { ...pin, matrix: step };
    return null;
  }

  /** Changes one weight; `undoable` is false for what follows within one movement of a slider. */
  setWeight(cell: Cell, value: number, undoable = true): void {
    const matrix = cell.matrix as WeightId;
    const { row, col } = cell;
    const others = this.#edits.filter(
      (edit) => edit.matrix !== matrix || edit.row !== row || edit.col !== col,
    );
    const original = this.#job?.unedited[matrix];
    const same = original && Math.fround(value) === original.data[row * original.cols + col];
    const edits: Edit[] = same ? others : [...others, { matrix, row, col, value }];
    this.address.set({ edits }, { undoable });
  }

  setNumber(cell: Cell, value: number): void {
    const content = cell.col - 1;
    const changed = replaceNumber(this.#text, cell.row, content, asTyped(value));
    this.address.set({ text: changed }, { undoable: true });
  }

  resetWeights(): void {
    this.address.set({ edits: [] }, { undoable: true });
  }

  /** The head's own value of a weight, before any edit. */
  original(cell: Cell): number | null {
    const matrix: MatrixData | undefined = this.#job?.unedited[cell.matrix as WeightId];
    return matrix ? matrix.data[cell.row * matrix.cols + cell.col] : null;
  }
}

const key = Symbol('attend');

export function provideModel(): AttendModel {
  return setContext(key, new AttendModel());
}

export function useModel(): AttendModel {
  return getContext<AttendModel>(key);
}

export const programs = lateCode(() => import('./later'));
