// Describes a run, and publishes its results: a table on the terminal, everything as JSON and the plot into a folder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { align, markdown } from './table.mjs';

/** Runs `measure(report)`, shows its progress, and adds when, where and under what load it ran. */
export async function describeRun(place, request, measure) {
  const load = loadavg()[0];
  const clear = '\r\x1b[K';
  const report = ({ group, name }) => {
    if (process.stdout.isTTY) process.stdout.write(`${clear}${place}: ${group} ${name}`);
  };
  const measured = await measure(report);
  if (process.stdout.isTTY) process.stdout.write(clear);
  return {
    place,
    date: new Date().toISOString(),
    processor: cpus()[0].model.trim(),
    cores: cpus().length,
    load: [load, loadavg()[0]],
    request,
    ...measured,
  };
}

/**
 * measured: the result of describeRun. `tables(cases, layout)` is its text, `plot(cases, title)` an SVG or undefined.
 */
export function publish(measured, name, { into, markdown: inMarkdown, tables, plot }) {
  const { engine, done, cases, kernels = [] } = measured;
  const title = `${engine}, ${done.variant}`;
  console.log(`\n${title}\n\n${tables(cases, inMarkdown ? markdown : align)}\n`);
  if (kernels.length > 0) console.log(`${kernels.join('\n')}\n`);
  const drawn = plot?.(cases, `Matrix products, ${title}, one thread`);
  const files = { [`${name}.json`]: `${JSON.stringify(measured, undefined, 1)}\n` };
  if (drawn) files[`matmul-${name}.svg`] = drawn;
  mkdirSync(into, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(into, file), text);
    console.log(join(into, file));
  }
}
