// Chapter "Check": tells files with and without a mistake apart. The mistakes are made here, with the core in Node,
// without the page's own list.
import type { MultiHeadWeights, Tensor, Tril } from 'tril';
import { file, golden, heads, test, type Files } from './check-case.ts';
import { expect } from './fixtures.ts';
import { message, messagePattern } from './messages.ts';
import { tril } from './oracle.ts';

const mistakes: Record<string, (core: Tril, own: ReturnType<typeof heads>) => Tensor> = {
  right: (core, { q, k, v }) => core.attention(q, k, v, { causal: true }).output,
  noScale: (core, { q, k, v }) => core.attention(q, k, v, { causal: true, scale: 1 }).output,
  swappedQK: (core, { q, k, v }) => core.attention(k, q, v, { causal: true }).output,
  swappedKV: (core, { q, k, v }) => core.attention(q, v, k, { causal: true }).output,
  keysReshaped(core, { q, k, v }) {
    const from = k.read(); // [2, 3, 7, 4], read as [2, 3, 4, 7]
    const turned = from.map(
      (_, i) => from[Math.floor(i / 28) * 28 + (i % 4) * 7 + (Math.floor(i / 4) % 7)],
    );
    return core.attention(q, core.tensor(k.shape, turned), v, { causal: true }).output;
  },
  noMask: (core, { q, k, v }) => core.attention(q, k, v).output,
  maskAfterSoftmax(core, { q, k, v }) {
    const scores = core.matmul(q, k, { transposeB: true });
    const scaled = core.tensor(
      scores.shape,
      scores.read().map((score) => score / 2),
    );
    return core.matmul(core.triangular(core.softmax(scaled)), v);
  },
  softmaxOverQueries(core, { q, k, v }) {
    const { masked } = core.attention(q, k, v, { causal: true, trace: true }).trace;
    return core.matmul(core.softmax(masked, { axis: 2 }), v);
  },
  softmaxOverHeads(core, { q, k, v }) {
    const { masked } = core.attention(q, k, v, { causal: true, trace: true }).trace;
    return core.matmul(core.softmax(masked, { axis: 1 }), v);
  },
};

test('tells each mistake from files that hold it', async ({ open, page }) => {
  const core = await tril();
  const own = heads(core);
  await open();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  for (const [id, make] of Object.entries(mistakes)) {
    const all = { ...own, expected: make(core, own) };
    await page
      .locator('input[type=file]')
      .setInputFiles(
        Object.entries(all).map(([name, tensor]) => file(`${name}.npy`, core.writeNpy(tensor))),
      );
    if (id === 'right') {
      await expect(page.locator('[data-verdict="equal"]')).toBeVisible();
      continue;
    }
    const first = page.locator('[data-suspect]').first();
    await expect(first).toHaveAttribute('data-suspect', id);
    await expect(first).toHaveAttribute('data-matches', 'true');
    await expect(page.locator('[data-verdict="mistake"]')).toBeVisible();
    // The displayed norm, from the same tensors.
    const { frobenius } = core.compare(all.expected, mistakes.right(core, own));
    const said = page.locator('[data-figure="own"] [data-frobenius]');
    const norm = Number(await said.getAttribute('data-frobenius'));
    expect(Math.abs(norm - frobenius)).toBeLessThan(1e-4 * frobenius);
  }
  // A difference of no usual kind is not forced into one.
  const odd = core.randomNormal([2, 3, 7, 4], { seed: 99 });
  await page.locator('input[type=file]').setInputFiles(file('expected.npy', core.writeNpy(odd)));
  await expect(page.locator('[data-verdict="unknown"]')).toBeVisible();
  expect(requests, 'nothing is sent').toEqual([]);
});

test('a mask of one’s own, NaN, halves, other axes and other scales lead to what is wrong', async ({
  open,
  page,
}) => {
  const core = await tril();
  const own = heads(core);
  const { q, k, v } = own;
  const give = (tensors: Readonly<Record<string, Tensor>>, more: Files[] = []) =>
    page
      .locator('input[type=file]')
      .setInputFiles([
        ...Object.entries(tensors).map(([name, one]) => file(`${name}.npy`, core.writeNpy(one))),
        ...more,
      ]);
  const verdict = page.locator('[data-verdict]');
  const suspect = (id: string) =>
    expect(page.locator(`[data-suspect="${id}"][data-matches="true"]`)).toBeVisible();

  // Key padding of the two texts: 1 means hidden, as the name says, or visible, if the visitor chooses so.
  await open({ causal: 'no' });
  const padding = core.tensor([
    [0, 0, 0, 0, 0, 1, 1],
    [0, 0, 0, 0, 0, 0, 0],
  ]);
  const padded = core.attention(q, k, v, { mask: core.mask.padding([5, 7]) }).output;
  await give({ ...own, key_padding_mask: padding, expected: padded });
  await expect(verdict).toHaveAttribute('data-verdict', 'equal');
  await page.getByRole('radio', { name: message('check.own.readings.look') }).click();
  await suspect('maskInverted');
  await expect(verdict).toContainText(message('check.variants.maskInverted'));

  // The mask with its query and key axes swapped.
  const one = core.mask.toTensor(core.mask.window({ left: 2, right: 0 }), [7, 7]);
  const seen = one.read().map((value) => Number(value === 0));
  const turned = core.attention(q, k, v, { mask: core.mask.window({ left: 0, right: 2 }) }).output;
  await open({ causal: 'no' });
  await give({ ...own, mask: core.tensor([7, 7], seen), expected: turned });
  await suspect('fileMaskTurned');

  // Other programs give NaN for rows without visible keys.
  await open();
  const { weights } = core.attention(q, k, v, { causal: true, trace: true }).trace;
  const before = core.tensor(
    Array.from({ length: 7 }, (_, t) => Array.from({ length: 7 }, (_, s) => Number(s < t))),
  );
  const blind = core.attention(q, k, v, { mask: core.mask.dense(before, { kind: 'boolean' }) });
  const data = blind.output.read().map((one, i) => (i % 28 < 4 ? NaN : one));
  await give({ ...own, expected: core.tensor([2, 3, 7, 4], data) });
  await suspect('hidesItself');
  await expect(page.locator('[data-blanks="24"]')).toContainText(
    messagePattern('check.own.blanks', { count: '24', first: '[1, 1, 1, 1]' }),
  );
  await expect(verdict).toContainText(message('check.own.whereNumbers'));
  const right = core.matmul(weights, v);
  const some = right.read().map((one, i) => (i === 30 ? NaN : one));
  await give({ expected: core.tensor([2, 3, 7, 4], some) });
  await expect(verdict).toHaveAttribute('data-verdict', 'blank');
  // The tensor as Python's json.dumps writes it.
  const nested = JSON.stringify(core.tensor([2, 3, 7, 4], right.read()).toArray());
  await give({}, [file('expected.json', nested.replace(String(right.read()[30]), 'NaN'))]);
  await expect(page.locator('[data-tensor]')).toContainText([
    'q',
    'k',
    'v',
    'expected',
    'expected',
  ]);
  await expect(page.locator('[data-blanks="1"]')).toContainText(
    messagePattern('check.own.blanks', { count: '1', first: '[1, 2, 1, 3]' }),
  );
  await expect(verdict).toHaveAttribute('data-verdict', 'blank');

  // A tensor of NaN alone has no distance from anything: no norms, no nearest mistake.
  await give({ expected: core.tensor([2, 3, 7, 4], right.read().fill(NaN)) });
  await expect(verdict).toContainText(messagePattern('check.own.allBlank'));
  await expect(page.locator('[data-blanks="168"]')).toContainText(message('check.own.blanksNot'));
  await expect(page.locator('[data-suspect]')).toHaveCount(0);
  await expect(page.locator('[data-figure="own"] [data-worst]')).toHaveCount(0);

  // float16 has three digits, which is close within 0.001.
  await give({}, [file('expected.npy', core.writeNpy(right, { dtype: 'float16' }))]);
  await expect(verdict).toHaveAttribute('data-verdict', 'close');
  await expect(verdict).toContainText(message('check.own.types.float16'));
  await page
    .getByRole('button', { name: message('check.own.compareWithin', { within: '0.001' }) })
    .click();
  await expect(verdict).toHaveAttribute('data-verdict', 'equal');
  await expect(page).toHaveURL(/tolerance=3/);

  // Heads side by side in the output; axes in another order; a custom scale.
  await open();
  const order = (tensor: Tensor) => {
    const [from, size] = [tensor.read(), 4];
    const moved = Array.from({ length: from.length }, (_, i) => {
      const [b, t, h, d] = [
        Math.floor(i / 84),
        Math.floor(i / 12) % 7,
        Math.floor(i / size) % 3,
        i % size,
      ];
      return from[((b * 3 + h) * 7 + t) * size + d];
    });
    return moved;
  };
  await give({ ...own, expected: core.tensor([2, 7, 12], Float32Array.from(order(right))) });
  await expect(verdict).toHaveAttribute('data-verdict', 'equal');
  await expect(page.locator('[data-rearranged]')).toBeVisible();
  await give({ expected: core.tensor([2, 7, 3, 4], Float32Array.from(order(right))) });
  await expect(page.locator('[data-tensor="expected"]')).toContainText('2 × 7 × 3 × 4');
  await expect(verdict).toHaveAttribute('data-verdict', 'equal');
  await give({ expected: core.tensor([2, 7, 12], right.read()) });
  await suspect('headsNotJoined');
  await give(
    Object.fromEntries(
      Object.entries({ ...own, expected: right }).map(([name, one]) => [
        name,
        core.tensor([2, 7, 3, 4], Float32Array.from(order(one))),
      ]),
    ),
  );
  await suspect('tokensFirst');
  await give(
    Object.fromEntries(
      Object.entries({ ...own, expected: right }).map(([name, one]) => [
        name,
        core.tensor([2, 7, 12], Float32Array.from(order(one))),
      ]),
    ),
  );
  await expect(page.locator('[data-suspect="sideBySide"]')).toHaveCount(3); // 2, 4 or 12 heads
  await expect(verdict).not.toHaveAttribute('data-verdict', 'mistake');
  await page.getByRole('spinbutton', { name: message('check.own.heads') }).fill('3');
  await page.keyboard.press('Tab');
  await expect(verdict).toHaveAttribute('data-verdict', 'equal');
  await page.getByRole('spinbutton', { name: message('check.own.heads') }).fill('0');
  await page.keyboard.press('Tab');
  const scaled = core.attention(q, k, v, { causal: true, scale: 0.3 }).output;
  await give({ ...own, expected: scaled });
  await suspect('otherScale');
  await expect(verdict).toContainText(message('check.variants.otherScale', { scale: '0.3' }));

  // Two heads of keys and values for four heads of queries: both repeated in turn, instead of each repeated twice.
  const [four, two, both] = [
    [4, 4],
    [5, 2],
    [6, 2],
  ].map(([seed, count]) => core.randomNormal([1, count, 7, 4], { seed }));
  const twice = (one: Tensor) =>
    core.tensor([1, 4, 7, 4], Float32Array.from([...one.read(), ...one.read()]));
  const tiled = core.attention(four, twice(two), twice(both), { causal: true }).output;
  await give({ q: four, k: two, v: both, expected: tiled });
  await suspect('groupsTiled');

  // Inputs that cannot be computed with are refused with a reason.
  await give({ q, k: core.tensor([2, 3, 4, 7], k.read()), v, expected: right });
  await expect(page.locator('[data-failure]')).toContainText(message('check.own.keysTurned'));
  await give({ q: core.tensor([1, 2, 3, 7, 4], q.read()), k, v });
  await expect(page.locator('[data-failure]')).toContainText('must be [T, D]');
});

test('a layer by its state_dict: PyTorch’s own output, and another number of heads', async ({
  open,
  page,
}) => {
  const core = await tril();
  const names: Record<string, string> = {
    x: 'x',
    in_proj_weight: 'in_proj_weight',
    in_proj_bias: 'in_proj_bias',
    out_proj_weight: 'out_proj.weight',
    out_proj_bias: 'out_proj.bias',
    output: 'expected',
  };
  const tensors: Record<string, Tensor> = {};
  for (const [path, name] of Object.entries(names)) {
    tensors[name] = (await core.readArrays(golden(`multi_head/small/${path}`)))[0].tensor;
  }
  await open({ kind: 'multiHead', heads: '2' });
  const layer = file('layer.safetensors', core.writeSafetensors(tensors));
  await page.locator('input[type=file]').setInputFiles(layer);
  await expect(page.locator('[data-verdict="equal"]')).toBeVisible();
  await page.getByRole('spinbutton', { name: message('check.own.layerHeads') }).fill('1');
  await page.keyboard.press('Tab');
  const first = page.locator('[data-suspect]').first();
  await expect(first).toHaveAttribute('data-suspect', 'otherHeads');
  await expect(first).toContainText(message('check.variants.otherHeads', { heads: 2 }));
  await expect(first).toHaveAttribute('data-matches', 'true');
  await page.getByRole('radio', { name: message('check.own.causals.no'), exact: true }).click();
  await expect(page).toHaveURL(/causal=no/);

  // Weights with a mistake; their names say which layer they belong to.
  const { x } = tensors;
  const weights = Object.fromEntries(
    Object.entries(tensors).filter(([name]) => name.includes('proj')),
  );
  const width = x.shape[x.shape.length - 1];
  const made = (change: Readonly<Record<string, Tensor>>) => {
    const given = { ...weights, ...change } as unknown as MultiHeadWeights;
    return core.multiHeadAttention(x, given, { heads: 2, causal: true }).output;
  };
  const none = core.tensor([3 * width], new Float32Array(3 * width));
  /** Rows of q, k and v interleaved head by head. */
  const interleaved = (tensor: Tensor) => {
    const [part, from] = [tensor.read().length / 6, tensor.read()];
    const order = [0, 3, 1, 4, 2, 5];
    const moved = from.map((_, i) => from[order[Math.floor(i / part)] * part + (i % part)]);
    return core.tensor(tensor.shape, moved);
  };
  const cases: Record<string, Tensor> = {
    noInBias: made({ in_proj_bias: none }),
    noOutBias: made({ 'out_proj.bias': core.tensor([width], new Float32Array(width)) }),
    interleaved: made({
      in_proj_weight: interleaved(tensors.in_proj_weight),
      in_proj_bias: interleaved(tensors.in_proj_bias),
    }),
  };
  await open({ heads: '2' });
  for (const [id, expected] of Object.entries(cases)) {
    const bytes = core.writeSafetensors({ ...tensors, expected });
    await page.locator('input[type=file]').setInputFiles(file('layer.safetensors', bytes));
    const other = page.getByRole('button', {
      name: message('check.own.otherKind', { kind: message('check.own.kinds.multiHead') }),
    });
    if (id === 'noInBias') await other.click();
    await expect(first).toHaveAttribute('data-suspect', id);
    await expect(first).toHaveAttribute('data-matches', 'true');
  }
  await expect(page).toHaveURL(/kind=multiHead/);
});
