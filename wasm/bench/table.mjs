// Results as text: a row for each case, a column for each subject.

import { isLimit } from './statistics.mjs';

const percent = (share) => `${Math.round(100 * share)} %`;

/** Three digits, and as many decimals as that leaves: 0.0123, 1.23, 12.3, 123. */
export function digits(value, count = 3) {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.min(Math.max(count - before, 0), 20));
}

/** `61.3 ±2 %`: the median in GFLOP/s if operations are counted, else in ms, and its spread. */
export const cell = ({ gflops, median, spread }) =>
  `${digits(gflops ?? median)} ±${percent(spread)}`;

/** Rows of cells, the first row being the head; the first column is aligned left, the others right. */
export function align(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (text, column) =>
    column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** The same rows as a Markdown table. */
export function markdown([heads, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, column) => (column === 0 ? '---' : '---:'));
  return [heads, rule, ...rows].map(line).join('\n');
}

/** cases: [{ name, results: [{ subject, ... }] }] of one group, as rows. */
export function rowsOf(cases, show = cell) {
  const subjects = [
    ...new Set(cases.flatMap(({ results }) => results.map((each) => each.subject))),
  ];
  const rows = cases.map(({ name, results }) => [
    name,
    ...subjects.map((subject) => {
      const found = results.find((each) => each.subject === subject);
      return found ? show(found) : '';
    }),
  ]);
  const [{ group, results }] = cases;
  return [[`${group}, ${results[0].gflops ? 'GFLOP/s' : 'ms'}`, ...subjects], ...rows];
}

/** The share of the peak, or of memory's speed, that each reaches, in percent, without these limits. */
export function shareRows(cases) {
  const counted = cases.map(({ results, ...about }) => ({
    ...about,
    results: results.filter((each) => each.share !== undefined && !isLimit(each)),
  }));
  const rows = rowsOf(counted, ({ share }) => percent(share));
  rows[0][0] = cases[0].results.some(({ bytes }) => bytes) ? "of memory's speed" : 'of the peak';
  return rows;
}

/** The results without the peak if times are shown, since its own time means nothing. */
const shown = (cases) =>
  cases.map(({ results, ...about }) => ({
    ...about,
    results: results.filter(
      ({ subject }) => subject !== 'peak' || !results.some(({ needed }) => needed),
    ),
  }));

/** The working memory of a call, if known: in all, and per token. */
export function memoryRows(cases) {
  const known = cases.map(({ results, name, about, ...rest }) => ({
    ...{ ...rest, name },
    results: results
      .filter(({ scratch }) => scratch)
      .map((each) => ({ ...each, perToken: each.scratch / about.time })),
  }));
  const kib = (bytes) => digits(bytes / 1024);
  const rows = rowsOf(known, ({ scratch, perToken }) => `${kib(scratch)} = T * ${kib(perToken)}`);
  rows[0][0] = 'working memory, KiB';
  return rows;
}

/** The time of each backward pass as a multiple of its own forward pass, by medians. */
export function forwardNotes({ group, name, results }, cases) {
  const forward = cases.find((each) => `${each.group} backward` === group && each.name === name);
  return results.flatMap(({ subject, median, failed }) => {
    const own = forward?.results.find((each) => each.subject === subject && !each.failed);
    if (!own || failed || isLimit(own)) return [];
    return [
      `${subject} takes ${digits(median / own.median)} times its own ${forward.group} ${name}`,
    ];
  });
}

/** All results of a place: a table for each group, one of shares if there is a peak, and one of working memory. */
export function placeTables(cases, layout = align) {
  const groups = [...new Set(cases.map(({ group }) => group))];
  return groups
    .map((group) => cases.filter((each) => each.group === group))
    .flatMap((each) => [
      rowsOf(shown(each)),
      ...(each[0].results.some(({ share }) => share) ? [shareRows(each)] : []),
      ...(each[0].results.some(({ scratch }) => scratch) ? [memoryRows(each)] : []),
    ])
    .map(layout)
    .concat(cases.flatMap((each) => forwardNotes(each, cases)))
    .join('\n\n');
}

const packedBefore = /: packed before$/;

/**
 * The participants, one row each; the last row is Tril's speed relative to the best of the others. If Tril also has
 * packed weights, those results are compared with peers, which have them too, and in the last row.
 */
export function peerRows({ group, name, results }) {
  const right = results.filter(({ failed }) => !failed);
  const [own] = right;
  const ready = right.find(({ subject }) => subject === 'Tril: packed before') ?? own;
  const others = right.filter((each) => each !== own && each !== ready);
  const ratios = (times, to) => ['median', 'best'].map((key) => digits(times(key) / to[key]));
  const rows = right.map((each) => [
    each.subject,
    cell(each),
    ...(others.includes(each)
      ? ratios((key) => each[key], packedBefore.test(each.subject) ? ready : own)
      : ['', '']),
  ]);
  if (others.length > 0) {
    const best = ratios((key) => Math.min(...others.map((each) => each[key])), ready);
    rows.push(['the best of them', '', ...best]);
  }
  const unit = own.gflops ? 'GFLOP/s' : 'ms';
  return [[`${group} ${name}`, unit, 'Tril is faster by', 'in best quartiles'], ...rows];
}

/** A table for each case, and below it the participants that failed, with their reasons. */
export function peerTables(cases, layout = align) {
  return cases
    .map((each) => {
      const failures = each.results.filter(({ failed }) => failed);
      const notes = failures.map(
        ({ subject, failed }) => `${subject} fails: ${failed.slice(0, 160)}`,
      );
      notes.push(...forwardNotes(each, cases));
      return [layout(peerRows(each)), ...notes].join(layout === markdown ? '\n\n' : '\n');
    })
    .join('\n\n');
}
