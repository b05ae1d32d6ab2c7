// The page that `tril look --html` writes. It is self-contained, loads nothing, and draws the
// numbers that replace kLookData, {"tokens": [...], "layers": L, "heads": H, "weights": base64 of
// float32 [L, H, T, T], "title": ...}.
#pragma once

namespace tril::cli {

inline constexpr char kLookData[] = "LOOK_DATA";

inline constexpr char kLookPage[] = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Attention</title>
<style>
  :root { color-scheme: light dark; --ink: light-dark(#1c2733, #e6ebf0); --paper: light-dark(#fbfaf7, #12171c);
    --quiet: light-dark(#5b6772, #9aa7b2); --line: light-dark(#d9d6cd, #2c363f); --heat: light-dark(#0a58a0, #6eb9ff); }
  body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.25rem 3rem; background: var(--paper); color: var(--ink);
    font: 1rem/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.25rem; margin: 0; }
  p { margin: 0.25rem 0 0.75rem; color: var(--quiet); }
  #text { grid-column: 1 / -1; font-size: 1.0625rem; line-height: 2; margin: 0; }
  #text { white-space: pre-wrap; }
  #text span { cursor: pointer; border-radius: 3px; padding: 0.15rem 0;
    border-bottom: 2px solid transparent; }
  #text .on { border-bottom-color: currentColor; font-weight: 600; }
  :focus-visible { outline: 2px solid var(--heat) !important; outline-offset: 1px; }
  main { display: grid; grid-template-columns: minmax(16rem, 24rem) minmax(0, 1fr); gap: 1.5rem; align-items: start; }
  @media (max-width: 48rem) { main { grid-template-columns: minmax(0, 1fr); } }
  #heads { display: grid; gap: 3px; overflow-x: auto; padding: 3px; }
  #heads button { all: unset; cursor: pointer; aspect-ratio: 1; border: 1px solid var(--line); min-width: 1.25rem; }
  #heads button[aria-pressed=true] { border-color: var(--heat); box-shadow: 0 0 0 2px var(--heat); }
  #heads canvas { display: block; width: 100%; height: 100%; image-rendering: pixelated; }
  #heads span { font-size: 0.75rem; color: var(--quiet); align-self: center; text-align: center; }
  #map { overflow: auto; max-height: 80vh; }
  table { border-collapse: collapse; font-size: 0.8125rem; }
  th { font-weight: 400; color: var(--quiet); text-align: right; padding: 0 0.4rem; white-space: pre; max-width: 8rem;
    overflow: hidden; text-overflow: ellipsis; position: sticky; left: 0; background: var(--paper); }
  thead th { writing-mode: vertical-rl; text-align: left; padding: 0.3rem 0; max-height: 7rem; max-width: none; }
  td { width: 2.4rem; min-width: 2.4rem; height: 1.6rem; text-align: center; border: 1px solid var(--line);
    font-variant-numeric: tabular-nums; }
  table.some td { width: 1.7rem; min-width: 1.7rem; font-size: 0.75rem; }
  td.corner { border: 0; }
  table.many td { width: 0.7rem; min-width: 0.7rem; height: 0.7rem; font-size: 0; }
  tr.on th, td:hover { outline: 1px solid currentColor; color: var(--ink); }
  #said { min-height: 3em; font-variant-numeric: tabular-nums; color: var(--ink); }
</style>
<header><h1></h1>
<p>Choose a head: its map has a row for each token, and a row says what the head takes of each token before it, in
  hundredths. Choose a word of the text to see the same in it. Arrow keys do both.</p></header>
<main><div id="text" tabindex="0" role="group" aria-label="The text"></div>
<div id="heads" role="group" aria-label="Heads"></div>
<div><p id="said" aria-live="polite"></p><div id="map" tabindex="0" role="group" aria-label="Weights"></div></div></main>
<script type="application/json" id="data">LOOK_DATA</script>
<script type="module">
const data = JSON.parse(document.getElementById('data').textContent);
const { tokens, layers, heads } = data;
const T = tokens.length;
const weights = new Float32Array(Uint8Array.from(atob(data.weights), (letter) => letter.charCodeAt(0)).buffer);
const weight = (layer, head, t, s) => weights[((layer * heads + head) * T + t) * T + s];
let layer = 0, head = 0, row = T - 1;
const make = (tag, of, text = '') => {
  const made = document.createElement(tag);
  made.textContent = text;
  of.append(made);
  return made;
};
const find = (id) => document.getElementById(id);
const lines = (token) => token.replace(/\n/g, '\u23ce').replace(/\t/g, '\u21e5');
const shown = (token) => lines(token).replace(/ /g, '\u00b7');
const dark = matchMedia('(prefers-color-scheme: dark)');
const colours = () => dark.matches ? [[18, 23, 28], [110, 185, 255]] : [[251, 250, 247], [10, 88, 160]];
// From the paper's colour to that of heat, and black or white on it, whichever can be read.
function paint(element, share) {
  const [paper, hot] = colours();
  const mixed = paper.map((from, i) => from + share * (hot[i] - from));
  const light = mixed.map((value) => value / 255).map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const bright = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  element.style.background = `rgb(${mixed.map(Math.round)})`;
  element.style.color = bright > 0.179 ? '#000' : '#fff';
}
document.title = data.title;
document.querySelector('h1').textContent = data.title;

const words = tokens.map((token, t) => {
  const word = make('span', find('text'), lines(token));
  word.onclick = () => choose(layer, head, t);
  return word;
});

const grid = find('heads');
grid.style.gridTemplateColumns = `auto repeat(${heads}, minmax(1.25rem, 1fr))`;
make('span', grid);
for (let h = 0; h < heads; ++h) make('span', grid, h);
const thumbs = Array.from({ length: layers }, (_, l) => {
  make('span', grid, l);
  return Array.from({ length: heads }, (_, h) => {
    const button = make('button', grid);
    button.setAttribute('aria-label', `layer ${l}, head ${h}`);
    button.title = `layer ${l}, head ${h}`;
    button.onclick = () => choose(l, h, row);
    const canvas = make('canvas', button);
    canvas.width = canvas.height = T;
    const ink = canvas.getContext('2d');
    const draw = () => {
      const image = ink.createImageData(T, T);
      for (let t = 0; t < T; ++t)
        for (let s = 0; s < T; ++s)
          image.data.set([...colours()[1], Math.round(255 * weight(l, h, t, s))], 4 * (t * T + s));
      ink.putImageData(image, 0, 0);
    };
    draw();
    dark.addEventListener('change', draw);
    return button;
  });
});

const table = make('table', find('map'));
table.className = T > 28 ? 'many' : T > 12 ? 'some' : '';
const top = make('tr', make('thead', table));
make('td', top).className = 'corner';
for (const token of tokens) make('th', top, shown(token));
const body = make('tbody', table);
const rows = tokens.map((token, t) => {
  const line = make('tr', body);
  make('th', line, shown(token));
  const cells = tokens.map((_, s) => {
    const cell = make('td', line);
    cell.onpointerenter = () => say(t, s);
    cell.onclick = () => choose(layer, head, t);
    return cell;
  });
  return { line, cells };
});

const quoted = (t) => `\u201c${shown(tokens[t])}\u201d`;
function say(t, s) {
  find('said').textContent = s === undefined
    ? `Layer ${layer}, head ${head}. ${quoted(t)} takes ` + tokens.map((_, each) => each)
      .sort((a, b) => weight(layer, head, t, b) - weight(layer, head, t, a)).slice(0, 3)
      .map((each) => `${weight(layer, head, t, each).toFixed(4)} of ${quoted(each)}`).join(', ') + '.'
    : `Layer ${layer}, head ${head}: ${quoted(t)} takes ${weight(layer, head, t, s).toFixed(4)} of ${quoted(s)}.`;
}

function choose(l, h, t) {
  thumbs[layer][head].setAttribute('aria-pressed', 'false');
  [layer, head, row] = [l, h, t];
  thumbs[layer][head].setAttribute('aria-pressed', 'true');
  rows.forEach(({ line, cells }, to) => {
    line.classList.toggle('on', to === row);
    cells.forEach((cell, s) => {
      const share = weight(layer, head, to, s);
      paint(cell, share);
      cell.textContent = share < 0.005 ? '' : String(Math.round(100 * share));
    });
  });
  words.forEach((word, s) => {
    paint(word, weight(layer, head, row, s));
    word.classList.toggle('on', s === row);
  });
  say(row);
}
const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
grid.onkeydown = (event) => {
  const [down, right] = steps[event.key] ?? [];
  if (down === undefined || !thumbs[layer + down]?.[head + right]) return;
  event.preventDefault();
  choose(layer + down, head + right, row);
  thumbs[layer][head].focus();
};
find('text').onkeydown = (event) => {
  const [, right] = steps[event.key] ?? [];
  if (!right || !words[row + right]) return;
  event.preventDefault();
  choose(layer, head, row + right);
};
dark.addEventListener('change', () => choose(layer, head, row));
choose(0, 0, T - 1);
</script>
)html";

}  // namespace tril::cli
