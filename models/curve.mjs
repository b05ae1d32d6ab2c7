// The course of a training, short: of `tril train`'s log a line every 25 steps.

import { readFileSync, writeFileSync } from 'node:fs';

const every = 25;

/** Writes step, mean loss of the steps since the line before, validation loss where there is one, and rate. */
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
