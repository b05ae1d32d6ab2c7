// A short version of a training curve: a line per 25 steps of `tril train`'s log.

import { readFileSync, writeFileSync } from 'node:fs';

const every = 25;

/**
 * Writes the step, the mean loss of the steps since the line before, the validation loss if there is one, and the
 * learning rate.
 */
export function writeCurve(log, curve) {
  const [, ...lines] = readFileSync(log, 'utf8').trim().split('\n');
  const out = ['step,loss,validation_loss,learning_rate'];
  for (let from = 0; from < lines.length; from += every) {
    const rows = lines.slice(from, from + every).map((line) => line.split(','));
    const loss = rows.reduce((sum, row) => sum + Number(row[1]), 0) / rows.length;
    const validation = rows.map((row) => row[2]).findLast((value) => value !== '') ?? '';
    const shown = validation === '' ? '' : Number(validation).toFixed(4);
    const rate = Number(rows.at(-1)[4]).toPrecision(4);
    out.push([from + rows.length, loss.toFixed(4), shown, rate].join(','));
  }
  writeFileSync(curve, `${out.join('\n')}\n`);
}
