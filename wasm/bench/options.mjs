// The command line of both benchmarks.

import { parseArgs } from 'node:util';
import { StepError } from '../toolchain/steps.mjs';
import { groups } from './groups.mjs';

const variants = ['simd', 'relaxed'];

function listOption(name, text, known) {
  const asked = (text ?? '').split(',').filter(Boolean);
  const unknown = asked.find((each) => !known.includes(each));
  if (unknown) {
    throw new StepError(`--${name} knows no "${unknown}".`, { advice: `say ${known.join(', ')}` });
  }
  return asked;
}

/**
 * @param {object} places whose keys can be named with --where
 * @param {object} defaults { threads }
 * @returns {{ where: string[], into: string, markdown: boolean, request: { quick, only, variant, threads } }}
 */
export function readOptions(places, defaults, args = process.argv.slice(2)) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      where: { type: 'string' },
      variant: { type: 'string' },
      threads: { type: 'string', default: String(defaults.threads) },
      markdown: { type: 'boolean', default: false },
      into: { type: 'string', default: 'build/bench' },
    },
  });
  const threads = Number(values.threads);
  if (!Number.isInteger(threads) || threads < 1 || threads > 32) {
    throw new StepError(`--threads must be from 1 to 32, is ${values.threads}.`);
  }
  const where = listOption('where', values.where, Object.keys(places));
  const [variant] = listOption('variant', values.variant, variants);
  const only = listOption('only', values.only, groups);
  return {
    where: where.length > 0 ? where : Object.keys(places),
    into: values.into,
    markdown: values.markdown,
    request: { quick: values.quick, only, threads, ...(variant && { variant }) },
  };
}
