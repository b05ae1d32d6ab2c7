// The vocabulary of Llama 1 and 2, and of TinyLlama, as the package llama-tokenizer-js carries it.
import tokenizer from 'llama-tokenizer-js';

interface Carried {
  readonly vocabById: readonly string[];
  readonly merges: ReadonlyMap<string, number>;
}

export function llamaVocabulary(): { names: readonly string[]; merges: string[] } {
  const { vocabById, merges } = tokenizer as unknown as Carried;
  return { names: vocabById, merges: [...merges.keys()] };
}
