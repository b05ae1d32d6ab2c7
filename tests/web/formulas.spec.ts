// Formulas are typeset while the page is built. Formulas with sizes equal KaTeX's own output for these sizes; those of
// Strassen's products equal the core's.
import { readFileSync } from 'node:fs';
import { isMap, isScalar, parseDocument, type Node } from 'yaml';
import { sizesIn, typeset, typesetAround } from '../../web/texts/formula.ts';
import { expect, test } from './fixtures.ts';
import { Lesson } from './lessons.ts';
import { tril } from './oracle.ts';

/** All formulas with sizes in a file of texts, and whether each is on a line of its own. */
function withSizes(name: string) {
  const file = new URL(`../../web/src/texts/en/${name}.yaml`, import.meta.url);
  const tag = (one: string) => ({ tag: one, resolve: (text: string) => text });
  const { contents } = parseDocument(readFileSync(file, 'utf8'), {
    customTags: [tag('!tex'), tag('!display')],
  });
  const found: { tex: string; display: boolean }[] = [];
  const look = (node: Node | null) => {
    if (isMap(node)) for (const { value } of node.items) look(value as Node);
    if (!isScalar(node) || typeof node.value !== 'string' || !node.tag?.startsWith('!')) return;
    const tex = node.value.trim();
    if (sizesIn(tex).length > 0) found.push({ tex, display: node.tag === '!display' });
  };
  look(contents);
  return found;
}

test('a formula with sizes put in is as KaTeX sets it with these sizes', () => {
  const all = withSizes('attend');
  expect(all.length).toBeGreaterThan(9);
  for (const { tex, display } of all) {
    const { pieces, names } = typesetAround(tex, display);
    for (const sizes of [
      { t: 1, c: 8, d: 6, v: 1 },
      { t: 9, c: 13, d: 6, v: 6 },
      { t: 64, c: 107, d: 12, v: 100 },
    ]) {
      const sizeOf = (name: string) => String(sizes[name as keyof typeof sizes]);
      const made = pieces.map((piece, i) => piece + (i < names.length ? sizeOf(names[i]) : ''));
      const filled = tex.replaceAll(/\\size\{(\w+)\}/gu, (_, name: string) => sizeOf(name));
      expect(made.join(''), filled).toBe(typeset(filled, display));
    }
  }
});

/** The accessible text of formulas, without spaces. */
const read = (page: Lesson['page'], place: string) =>
  page
    .locator(`${place} .katex-mathml`)
    .evaluateAll((all) => all.map((one) => one.textContent!.replaceAll(/[\s\u2061-\u2064]/gu, '')));

test('every step of Attend has its formula, with its sizes', async ({ page }) => {
  const attend = new Lesson(page, 'attend');
  const expected = {
    x: ['X8×13=[1∣who∣where]'],
    q: ['Q8×6=X8×13WQ⊤13×6'],
    k: ['K8×6=X8×13WK⊤13×6'],
    v: ['V8×6=X8×13WV⊤13×6'],
    scores: ['scores8×8=Q8×6K⊤6×8'],
    scaled: ['÷6', 'scaled8×8=scores/6'],
    masked: ['+M', 'masked8×8=scaled+M'],
    weights: ['softmax', 'weights8×8=softmax(masked)'],
    output: ['output8×6=weights8×8V8×6'],
  };
  for (const [step, formulas] of Object.entries(expected)) {
    await attend.open({ step });
    expect((await read(page, '#steps .stage')).sort(), step).toEqual(formulas.sort());
  }
  // One column of the visitor's own numbers.
  await attend.open({ by: 'numbers', text: '1\n2\n3', step: 'v' });
  expect(await read(page, '#steps .stage')).toEqual(['V3×1=X3×8WV⊤8×1']);
});

test('formulas of Strassen’s products have the signs of the core', async ({ page }) => {
  const multiply = new Lesson(page, 'multiply');
  await multiply.open();
  const core = await tril();
  const quarters = ['11', '12', '21', '22'];
  const sum = (letter: string, signs: readonly number[]) => {
    const terms = quarters
      .flatMap((quarter, i) => (signs[i] ? [`${signs[i] < 0 ? '−' : '+'}${letter}${quarter}`] : []))
      .sort((one, other) => (one < other ? -1 : 1)); // plus before minus
    const text = terms.join('').replace(/^\+/u, '');
    return terms.length > 1 ? `(${text})` : text;
  };
  for (const [p, { left, right, out }] of core.strassenSigns().entries()) {
    await page.locator('#strassen [role="radio"]').nth(p).click();
    const uses = quarters.flatMap((quarter, i) =>
      out[i] ? [`C${quarter}${out[i] < 0 ? '−' : '+'}=M${p + 1}`] : [],
    );
    await expect
      .poll(() => read(page, '#strassen .formulas'))
      .toEqual([`M${p + 1}=${sum('A', left)}${sum('B', right)}`, uses.join(',')]);
  }
});
