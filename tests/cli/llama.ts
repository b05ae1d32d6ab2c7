// The vocabulary of Llama 1 and 2, and of TinyLlama, from the package llama-tokenizer-js.
import tokenizer from 'llama-tokenizer-js';

interface Carried {
  readonly vocabById: readonly string[];
  readonly merges: ReadonlyMap<string, number>;
}

export function llamaVocabulary(): { names: readonly string[]; merges: string[] } {
  const { vocabById, merges } = tokenizer as unknown as Carried;
  return { names: vocabById, merges: [...merges.keys()] };
}
