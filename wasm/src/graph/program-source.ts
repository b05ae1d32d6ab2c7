// The input of the writers of programs, and names that a program cannot give to a value.
import type { Sized } from './operation.js';
import type { Step } from './plan.js';
import type { Sizes } from './sizes.js';

/** A graph in the form that the writers of programs take. */
export interface Source {
  readonly steps: readonly Step[];
  readonly sizes: Sizes;
  /** The values that the program compares with the given numbers. */
  readonly shown: readonly Step[];
  sized(step: Step): Sized<object>;
  /** Returns the given numbers of a value. */
  numbers(step: Step): Float32Array;
}

const words = `and as assert async await break class continue def del elif else except finally for from global if import in is
lambda nonlocal not or pass raise return try while with yield None True False np torch math abs print max float expected
softmax log_softmax gelu put layer_norm rms_norm cross_entropy
auto bool case catch char const default delete do double enum explicit export extern friend goto inline int long mutable
namespace new operator private protected public register short signed sizeof static struct switch template this throw
typedef typename union unsigned using virtual void volatile main std tril largest differ Index Buffer
add subtract multiply divide copy transpose reshape slice_axis join unary activate reduce running_average where binary Binary Reduce Unary linear embedding exp log sqrt
tanh erf`;
const taken = new Set(words.split(/\s+/));

/** The name of a value in a program. */
export const nameIn = ({ node }: Step): string =>
  taken.has(node.name) ? `${node.name}_` : node.name;
