// A plot of products of square matrices as SVG: GFLOP/s over n, with n on a logarithmic axis. The top is the measured
// peak, so that the gap above a line is the unused part. Colours follow the reader's light or dark scheme.

const width = 880;
const height = 480;
const margin = { left: 56, right: 120, top: 56, bottom: 56 };

/** One colour per method, which differ in lightness, too; [light, dark]. */
const colours = {
  ijk: ['#5d646f', '#a7aeb9'],
  ikj: ['#b0823f', '#c49a5a'],
  jik: ['#767d88', '#9299a4'],
  jki: ['#9097a2', '#7d8490'],
  kij: ['#cf9f5e', '#a27a3f'],
  kji: ['#a6acb6', '#6b727e'],
  blocked: ['#7c5cbf', '#a88be6'],
  eigen: ['#2b7fb8', '#62b0e4'],
  strassen: ['#c2417c', '#ee7fae'],
  tiled: ['#0e7c66', '#35c4a4'],
  auto: ['#d1432f', '#ff7d66'],
};
const fallback = ['#5d6470', '#9aa1ad'];

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const round = (value) => Math.round(value * 10) / 10;

/** Even steps of 1, 2 or 5 times a power of ten: at most `count` of them up to `top`. */
export function steps(top, count = 7) {
  const least = top / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least);
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
}

/** Moves labels down or up until neighbours are at least `gap` apart, in their order. */
export function spread(places, gap, bottom) {
  const order = places.map((y, index) => ({ y, index })).sort((one, other) => one.y - other.y);
  for (let i = 1; i < order.length; i += 1) order[i].y = Math.max(order[i].y, order[i - 1].y + gap);
  let limit = bottom;
  for (const each of order.toReversed()) {
    each.y = Math.min(each.y, limit);
    limit = each.y - gap;
  }
  return order.sort((one, other) => one.index - other.index).map(({ y }) => y);
}

/** The lines: for each method [{ n, gflops, low, high }], with the quartiles low and high. */
export function linesOf(cases) {
  const lines = new Map();
  for (const { about, results } of cases) {
    if (about.group !== 'matmul' || about.rows !== about.depth || about.depth !== about.cols)
      continue;
    for (const { subject, gflops, flops, best, worst, threads = 1 } of results) {
      if (subject === 'peak' || threads > 1) continue;
      const point = { n: about.rows, gflops, low: flops / worst / 1e6, high: flops / best / 1e6 };
      lines.set(subject, [...(lines.get(subject) ?? []), point]);
    }
  }
  return lines;
}

/** The median of the peaks of all cases. */
function peakOf(cases) {
  const peaks = cases.flatMap(({ results }) =>
    results.filter(({ subject }) => subject === 'peak').map(({ gflops }) => gflops),
  );
  return peaks.sort((one, other) => one - other)[Math.floor(peaks.length / 2)];
}

/** The plot of a place's results, or undefined with fewer than two sizes. */
export function plot(cases, title) {
  const lines = linesOf(cases);
  const sizes = [...new Set([...lines.values()].flat().map(({ n }) => n))].sort((a, b) => a - b);
  const peak = peakOf(cases);
  if (sizes.length < 2 || !peak) return undefined;
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  const first = Math.log2(sizes[0]);
  const last = Math.log2(sizes.at(-1));
  const x = (n) =>
    round(margin.left + ((Math.log2(n) - first) / (last - first)) * (right - margin.left));
  const y = (value) => round(bottom - (value / peak) * (bottom - margin.top));

  const names = [...lines.keys()];
  const ends = names.map((name) => y(lines.get(name).at(-1).gflops));
  const [peakLabel, ...labels] = spread([y(peak), ...ends], 15, bottom);
  const draw = (name, index) =>
    drawLine(lines.get(name), name, index, { x, y, label: labels[index], right });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">`,
    style(names),
    `<rect class="paper" width="${width}" height="${height}" rx="10"/>`,
    `<text class="title" x="${margin.left}" y="26">${escape(title)}</text>`,
    ...steps(peak).map((value) => horizontal(value, y(value), right)),
    `<line class="peak" x1="${margin.left}" x2="${right}" y1="${y(peak)}" y2="${y(peak)}"/>`,
    `<text class="note" x="${right + 12}" y="${peakLabel + 4}">peak ${Math.round(peak)}</text>`,
    `<text class="note" x="${margin.left}" y="46">GFLOP/s of 2n³ operations, median; bars from quartile to quartile</text>`,
    ...sizes
      .filter(isPowerOfTwo)
      .map((n) => `<text class="tick" x="${x(n)}" y="${bottom + 20}">${n}</text>`),
    `<text class="tick" x="${(margin.left + right) / 2}" y="${bottom + 42}">n, matrices of n × n</text>`,
    ...names.map(draw),
    '</svg>\n',
  ].join('\n');
}

const isPowerOfTwo = (n) => Number.isInteger(Math.log2(n));

const horizontal = (value, y, right) =>
  `<line class="grid" x1="${margin.left}" x2="${right}" y1="${y}" y2="${y}"/>` +
  `<text class="tick end" x="${margin.left - 8}" y="${y + 4}">${value}</text>`;

function drawLine(points, name, index, { x, y, label, right }) {
  const path = points.map(({ n, gflops }) => `${x(n)},${y(gflops)}`).join(' ');
  const bars = points.map(
    ({ n, low, high }) => `<line x1="${x(n)}" x2="${x(n)}" y1="${y(low)}" y2="${y(high)}"/>`,
  );
  const end = points.at(-1);
  const bend = `<path class="leader" d="M${x(end.n)} ${y(end.gflops)} L${right + 8} ${label}"/>`;
  const text = `<text class="label" x="${right + 12}" y="${label + 4}">${escape(name)}</text>`;
  return `<g class="m${index}" data-name="${escape(name)}"><polyline points="${path}"/>${bars.join('')}${bend}${text}</g>`;
}

function style(names) {
  const rules = (scheme) =>
    names.map((name, index) => `.m${index}{--c:${(colours[name] ?? fallback)[scheme]}}`).join('');
  return `<style>
svg{--paper:#fff;--ink:#20242b;--soft:#5d6470;--grid:#e4e7ec}${rules(0)}
@media (prefers-color-scheme:dark){svg{--paper:#14171c;--ink:#e8eaee;--soft:#9aa1ad;--grid:#2a2f38}${rules(1)}}
text{font:13px system-ui,sans-serif;fill:var(--soft)}
.paper{fill:var(--paper)}.title{font-size:16px;font-weight:600;fill:var(--ink)}
.tick{text-anchor:middle}.end{text-anchor:end}.label{fill:var(--c);font-weight:600}
.grid{stroke:var(--grid)}.peak{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:2 4}
g line{stroke:var(--c);stroke-width:4;opacity:.35}
polyline{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
.leader{fill:none;stroke:var(--c);stroke-dasharray:1 3}
</style>`;
}
