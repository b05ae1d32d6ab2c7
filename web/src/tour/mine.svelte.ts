// The head that a visitor has trained: kept in the browser, identified by the hash of its weights.
import { browser } from '$app/environment';
import * as v from 'valibot';
import { training } from '../compute/page/training/born.svelte';
import { keep, kept } from '../state/kept';

const place = 'tril.head';
/** Number of digits of a hash: enough to tell heads apart, and short enough for a link. */
const digits = 8;

export interface Head {
  readonly seed: number;
  /** The weights as a safetensors file. */
  readonly weights: Uint8Array;
  /** The config.json that belongs to it. */
  readonly config: string;
  /** The beginning of the SHA-256 of its weights, in hexadecimal; empty if the browser does not provide it. */
  readonly hash: string;
}

const schema = v.object({
  seed: v.pipe(v.number(), v.integer()),
  ...{ hash: v.string(), config: v.string(), weights: v.string() },
});

async function hashOf(weights: Uint8Array): Promise<string> {
  // Available only in secure contexts.
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

/** The stored head, or null if the text is none. */
function read(text: string | null): Head | null {
  try {
    const { weights, ...rest } = v.parse(schema, JSON.parse(text ?? ''));
    return { ...rest, weights: Uint8Array.from(atob(weights), (one) => one.charCodeAt(0)) };
  } catch {
    return null;
  }
}

class Mine {
  head = $state.raw<Head | null>(null);
  /** The head was trained in an earlier visit. */
  fromBefore = $state(false);
  #taken: Uint8Array | null = null;

  /** Restores the stored head, after hydration. */
  remember(): void {
    if (!browser || this.head) return;
    this.head = read(kept(place));
    this.fromBefore = this.head !== null;
  }

  /** Takes the head whose training has ended. */
  async take(): Promise<void> {
    const { asked, answer: end } = training;
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
}

export const mine = new Mine();
