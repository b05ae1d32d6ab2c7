// The head that a visitor has trained: kept in the browser, known by the hash of its weights, asked for what comes next.
import { browser } from '$app/environment';
import * as v from 'valibot';
import { training } from '../compute/page/training/born.svelte';
import type { Begun } from '../compute/page/line';
import type { TrainingSessions } from '../compute/shared/training/protocol';
import { trainingLine } from '../compute/page/training/run.svelte';
import { keep, kept } from '../state/kept';
import { headCount } from '../state/tour';
import { tokensOf } from './nonsense';

const place = 'tril.head';
/** What is written of a hash: so many digits tell heads apart, and fit into a link. */
const digits = 8;

export interface Head {
  readonly seed: number;
  /** As a file of safetensors. */
  readonly weights: Uint8Array;
  /** The config.json beside it. */
  readonly config: string;
  /** The beginning of the SHA-256 of its weights, in hexadecimal; empty where the browser does not give it. */
  readonly hash: string;
}

const schema = v.object({
  seed: v.pipe(v.number(), v.integer()),
  ...{ hash: v.string(), config: v.string(), weights: v.string() },
});

async function hashOf(weights: Uint8Array): Promise<string> {
  // Only pages from a secure address have it.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (!subtle) return '';
  const bytes = new Uint8Array(await subtle.digest('SHA-256', Uint8Array.from(weights)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, digits);
}

function written({ weights, ...rest }: Head): string {
  const letters = Array.from(weights, (byte) => String.fromCharCode(byte)).join('');
  return JSON.stringify({ ...rest, weights: btoa(letters) });
}

/** What was kept, if it is what is kept here. */
function read(text: string | null): Head | null {
  try {
    const { weights, ...rest } = v.parse(schema, JSON.parse(text ?? ''));
    return { ...rest, weights: Uint8Array.from(atob(weights), (one) => one.charCodeAt(0)) };
  } catch {
    return null;
  }
}

type Answer = TrainingSessions['recall']['answer'];
const heads = Array.from({ length: headCount }, (_, i) => i);

class Mine {
  head = $state.raw<Head | null>(null);
  /** It was trained in an earlier visit, and not in this one. */
  fromBefore = $state(false);
  /** Of each letter that the model may say next; null while nothing is known. */
  chances = $state.raw<readonly number[] | null>(null);
  /** The same with none off, and then with each of them off alone; empty where nobody has asked. */
  alone = $state.raw<readonly (readonly number[])[]>([]);
  failure = $state('');
  #begun: Begun | null = null;
  #taken: Uint8Array | null = null;

  /** What was kept, once the page is alive. */
  remember(): void {
    if (!browser || this.head) return;
    this.head = read(kept(place));
    this.fromBefore = this.head !== null;
  }

  /** The one whose training is over. */
  async take(): Promise<void> {
    const { asked, end } = training;
    if (!asked || !end || asked.task !== 'induction' || end.weights === this.#taken) return;
    this.#taken = end.weights;
    const head = {
      ...{ seed: asked.seed, weights: end.weights, hash: await hashOf(end.weights) },
      config: new TextDecoder().decode(end.config),
    };
    if (this.#taken !== end.weights) return;
    this.head = head;
    this.fromBefore = false;
    keep(place, written(head));
  }

  /** Asks it what comes after these letters with some heads off, and `eachAlone` also with none and with each of them off. */
  ask(say: string, off: readonly number[], eachAlone: boolean): void {
    this.#begun?.cancel();
    const { tokens } = tokensOf(say);
    if (!this.head || tokens.length === 0) {
      this.chances = null;
      this.alone = [];
      return;
    }
    const others = eachAlone ? [[], ...heads.map((head) => [head])] : [];
    this.#begun = trainingLine.line.begin(
      'recall',
      { weights: this.head.weights, tokens, off: [off, ...others] },
      (outcome) => {
        if (outcome.what === 'cancelled') return;
        this.failure = outcome.what === 'failed' ? outcome.failure.message : '';
        const found = outcome.what === 'answer' ? (outcome.answer as Answer).chances : [];
        this.chances = found[0] ?? null;
        this.alone = found.slice(1);
      },
    );
  }
}

export const mine = new Mine();
