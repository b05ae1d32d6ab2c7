import { readdirSync } from 'node:fs';
import { TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { tril } from './helpers.js';
import {
  archive,
  expectRefused,
  fixture,
  goldenFiles,
  only,
  released,
  text,
} from './stored-files.js';

const float32 = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

const deflated = (name: string, content: Uint8Array) => archive([{ name, content }]);

function safetensors(header: object | string, data: Uint8Array = new Uint8Array()): Uint8Array {
  const json = text(typeof header === 'string' ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

describe('readArrays', () => {
  it('reads what NumPy writes, of every type, order and version', async () => {
    for (const file of readdirSync(goldenFiles).filter((each) => each.endsWith('.npy'))) {
      const name = file.replace('.npy', '');
      const { values, shape, held, type } = await only(fixture(name));
      const kind = name[0]!;
      if (name === 'f4_none') {
        expect({ values, shape, held }).toEqual({ values: [], shape: [2, 0, 3], held: [2, 0, 3] });
        continue;
      }
      if (name === 'f4_scalar') {
        expect({ values, shape, held }).toEqual({ values: [-2.75], shape: [], held: [1] });
        continue;
      }
      expect(shape, name).toEqual(name === 'f4_vector' ? [24] : [2, 3, 4]);
      const expected = Array.from({ length: 24 }, (_, n) => {
        if (kind === 'b') return Number(n % 3 === 0);
        return kind === 'f' ? (n - 12) / 4 : kind === 'i' ? n - 12 : n;
      });
      expect(values, name).toEqual(expected);
      const types = { b: 'bool', f: 'float', i: 'int', u: 'uint' };
      expect(type).toContain(types[kind as keyof typeof types]);
    }
  });

  it('reads .safetensors without what is of another type, which is named', async () => {
    const eight = { dtype: 'F8_E4M3', shape: [4], data_offsets: [8, 12] };
    const header = { a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] }, eight };
    const data = new Uint8Array([...float32(1.5, -2), 0, 0, 0, 0]);
    const arrays = await tril.readArrays(safetensors(header, data), 'x.safetensors');
    const problem = 'element type "F8_E4M3" is not read';
    expect(arrays.skipped).toEqual([{ name: 'eight', problem }]);
    expect(released(arrays)).toMatchObject([{ name: 'a', values: [1.5, -2] }]);
    const alone = safetensors({ eight: { ...eight, data_offsets: [0, 4] } }, new Uint8Array(4));
    await expectRefused(alone, 'x.safetensors', /"eight": element type "F8_E4M3" is not read/);
  });

  it('reads .safetensors of float32, float16 and bfloat16', async () => {
    const header = {
      __metadata__: { format: 'pt' },
      'a.weight': { dtype: 'F32', shape: [1, 2], data_offsets: [0, 8] },
      half: { dtype: 'F16', shape: [2], data_offsets: [8, 12] },
      brain: { dtype: 'BF16', shape: [], data_offsets: [12, 14] },
    };
    const data = new Uint8Array([...float32(1.5, -2), 0x00, 0x3c, 0x01, 0x00, 0xc0, 0xbf]);
    const arrays = released(await tril.readArrays(safetensors(header, data), 'x.safetensors'));
    expect(arrays).toEqual([
      { name: 'a.weight', type: 'float32', shape: [1, 2], held: [1, 2], values: [1.5, -2] },
      { name: 'half', type: 'float16', shape: [2], held: [2], values: [1, 2 ** -24] },
      { name: 'brain', type: 'bfloat16', shape: [], held: [1], values: [-1.5] },
    ]);
  });

  it('reads .npz archives, stored and deflated', async () => {
    const [a, b] = [tril.randomNormal([3, 4], { seed: 1 }), tril.tensor([7])];
    const archive = tril.writeNpz({ a, 'layers.0': b });
    const arrays = released(await tril.readArrays(archive));
    expect(arrays.map(({ name }) => name)).toEqual(['a', 'layers.0']);
    expect(arrays[0]!.values).toEqual([...a.read()]);
    const packed = released(await tril.readArrays(deflated('x.npy', tril.writeNpy(a))));
    expect(packed[0]).toMatchObject({ name: 'x', held: [3, 4], values: [...a.read()] });
    for (const tensor of [a, b]) tensor.dispose();
  });

  it('reads .json and .csv', async () => {
    const { values, shape } = await only(text('[[1, 2.5], [3, -4e2]]'), 'x.json');
    expect({ values, shape }).toEqual({ values: [1, 2.5, 3, -400], shape: [2, 2] });
    const named = released(await tril.readArrays(text('{"q": [1], "k": [[2], [3]]}'), 'x.JSON'));
    expect(named.map(({ name, held }) => [name, held])).toEqual([
      ['q', [1]],
      ['k', [2, 1]],
    ]);
    for (const csv of [
      '1,2\n3,4',
      'a,b\r\n1,2\r\n3,4\r\n',
      '# one\n1;2\n\n3;4',
      '1\t2\n3\t4',
      '1 2\n3  4',
    ]) {
      expect(await only(text(csv), 'x.csv')).toMatchObject({ held: [2, 2], values: [1, 2, 3, 4] });
    }
    expect((await only(text('nan,-inf,1e-3'), 'x.csv')).values).toEqual([
      NaN,
      -Infinity,
      Math.fround(1e-3),
    ]);
  });

  it('reads NaN and infinities in .json as Python writes them', async () => {
    // json.dumps({"NaN": [[nan, inf, -inf], [1e-3, -0.0, 2.5]], "a \\"NaN\\\\": [-inf]})
    const all = String.raw`{"NaN": [[NaN, Infinity, -Infinity], [0.001, -0.0, 2.5]], "a \"NaN\\": [-Infinity]}`;
    const arrays = released(await tril.readArrays(text(all), 'x.json'));
    expect(arrays.map(({ name, values }) => [name, values])).toEqual([
      ['NaN', [NaN, Infinity, -Infinity, Math.fround(1e-3), -0, 2.5]],
      ['a "NaN\\', [-Infinity]],
    ]);
    // They are whole words for numbers, and nothing else is read as one.
    for (const wrong of [
      '1NaN',
      'NaN1',
      '-NaN',
      '+Infinity',
      'Infinity5',
      '5Infinity',
      '1.Infinity',
    ])
      await expectRefused(text(`[NaN, ${wrong}]`), 'x.json', 'is not JSON');
    for (const wrong of ['nan', 'inf', 'NaNNaN', 'NaN Infinity', '"NaN', "'NaN'"])
      await expectRefused(text(`[${wrong}]`), 'x.json', 'is not JSON');
    for (const word of ['"NaN"', '"Infinity"', '"null"', '{}', '[]'])
      await expectRefused(text(`[[NaN, ${word}]]`), 'x.json', 'at [0][1] must be a number, is');
    await expectRefused(text('NaN'), 'x.json', 'must be an array or an object of arrays, is NaN');
  });

  it('reads true and false as 1 and 0, and null as NaN, in .json', async () => {
    const mask = await only(text('[[true, false], [true, true]]'), 'mask.json');
    expect(mask).toMatchObject({ type: 'bool', shape: [2, 2], values: [1, 0, 1, 1] });
    // JSON.stringify writes NaN as null; Python writes NaN.
    const missing = await only(text('[[1, null], [NaN, -Infinity]]'), 'x.json');
    expect(missing).toMatchObject({ type: 'float64', values: [1, NaN, NaN, -Infinity] });
    expect(await only(text('[true, 2, false]'), 'x.json')).toMatchObject({
      ...{ type: 'float64', values: [1, 2, 0] },
    });
    const two = released(await tril.readArrays(text('{"m": [false], "x": [[null]]}'), 'x.json'));
    expect(two).toMatchObject([
      { name: 'm', type: 'bool', values: [0] },
      { name: 'x', type: 'float64', values: [NaN] },
    ]);
    // Words inside texts stay texts.
    await expectRefused(text('["null", NaN]'), 'x.json', 'at [0] must be a number, is "null"');
  });

  it('reads arrays without elements', async () => {
    expect(await only(text('[[], []]'), 'x.json')).toMatchObject({ held: [2, 0], values: [] });
    const none = tril.zeros([0, 4]);
    expect(await only(tril.writeNpy(none))).toMatchObject({ held: [0, 4], values: [] });
    expect(await only(tril.writeSafetensors({ none }), '')).toMatchObject({ held: [0, 4] });
    expect(await only(tril.writeNpz({ none }))).toMatchObject({ name: 'none', held: [0, 4] });
    none.dispose();
  });

  it('reads all arrays of a .npy file into which several were saved', async () => {
    const parts = ['f4_vector', 'f4_none', 'f4_scalar'].map(fixture);
    const file = new Uint8Array(Buffer.concat(parts));
    const arrays = released(await tril.readArrays(file, 'x.npy'));
    expect(arrays.map(({ name, shape }) => [name, shape])).toEqual([
      ['arr_0', [24]],
      ['arr_1', [2, 0, 3]],
      ['arr_2', []],
    ]);
    expect(arrays[2]!.values).toEqual([-2.75]);
    await expectRefused(file.slice(0, -1), 'x.npy', /byte \d+/);
    const inside = released(await tril.readArrays(archive([{ name: 'x.npy', content: file }])));
    expect(inside.map(({ name }) => name)).toEqual(['x.arr_0', 'x.arr_1', 'x.arr_2']);
  });

  it('says what other files are', async () => {
    const begins = (...bytes: number[]) => Uint8Array.from({ length: 64 }, (_, i) => bytes[i] ?? 0);
    const torch = archive([{ name: 'archive/data.pkl', content: text('x'), stored: true }]);
    for (const name of ['model.pt', 'model.pth', 'pytorch_model.bin', 'x.npz', ''])
      await expectRefused(torch, name, /is a pickle, as PyTorch's .*safetensors\.torch\.save_file/);
    await expectRefused(begins(0x80, 2, 0x8a), 'model.pt', 'is a pickle');
    for (const name of ['x.csv', 'x.json', 'x.safetensors', 'x.gz', ''])
      await expectRefused(begins(0x1f, 0x8b), name, 'is packed by gzip: unpack it first');
    await expectRefused(text('GGUF\x03\0\0\0'), 'x.gguf', 'is a .gguf file');
    await expectRefused(begins(0x89, ...text('HDF\r\n\x1a\n')), 'x.h5', 'is an HDF5 file');
    await expectRefused(begins(8, 7, 0x12, 7), 'x.onnx', 'is an ONNX model');
    await expectRefused(archive([{ name: '[Content_Types].xml', content: text('') }]), '', '.xlsx');
    await expectRefused(text('<!doctype html>'), 'x.json', 'is a web page, not the file');
    await expectRefused(Uint8Array.of(0xff, 0xfe, 0x31, 0), 'x.csv', 'but in UTF-16');
  });

  it('takes what is written back as it was', async () => {
    const x = tril.tensor([2, 1, 3], [1, -0, NaN, Infinity, 1e-40, 3]);
    const npy = tril.writeNpy(x);
    expect(await only(npy)).toMatchObject({ held: [2, 1, 3], values: [...x.read()] });
    const safe = tril.writeSafetensors({ 'a.b': x, c: x });
    expect(released(await tril.readArrays(safe))).toMatchObject([
      { name: 'a.b', values: [...x.read()] },
      { name: 'c', held: [2, 1, 3] },
    ]);
    x.dispose();
  });

  it('takes names in any script back as they were', async () => {
    const names = ['größe', '重み', '😀', 'a\0b', '__proto__', '1'];
    const tensors = Object.fromEntries(names.map((name, i) => [name, tril.tensor([i])]));
    const files = [tril.writeSafetensors(tensors), tril.writeNpz(tensors)];
    for (const tensor of Object.values(tensors)) tensor.dispose();
    for (const file of files) {
      const found: Record<string, number> = {};
      for (const { name, tensor } of await tril.readArrays(file, 'file.safetensors')) {
        found[name.replace('__proto__', 'proto')] = tensor.read()[0]!;
        tensor.dispose();
      }
      expect(found).toEqual({ größe: 0, 重み: 1, '😀': 2, 'a\0b': 3, proto: 4, 1: 5 });
    }
  });

  it('writes float16 and bfloat16, rounded to nearest, ties to even', async () => {
    // The largest half is 65504; the smallest is 2^-24.
    const values = [
      1 + 2 ** -11,
      1 + 3 * 2 ** -11,
      65519.99,
      65520,
      -1e9,
      2 ** -25,
      -(2 ** -24),
      NaN,
    ];
    const halves = [1, 1 + 2 ** -9, 65504, Infinity, -Infinity, 0, -(2 ** -24), NaN];
    const x = tril.tensor(values);
    const read = async (file: Uint8Array) => released(await tril.readArrays(file));
    const half = { type: 'float16', shape: [8], values: halves };
    expect(await read(tril.writeNpy(x, { dtype: 'float16' }))).toMatchObject([half]);
    expect(await read(tril.writeNpz({ x }, { dtype: 'float16' }))).toMatchObject([half]);
    const options = { dtype: 'float16' } as const;
    expect(await read(tril.writeSafetensors({ x }, options))).toMatchObject([half]);
    x.dispose();

    const y = tril.tensor([1 + 2 ** -8, 1 + 3 * 2 ** -8, 3.3961775e38, NaN]);
    const brain = tril.writeSafetensors({ y }, { dtype: 'bfloat16' });
    expect(await read(brain)).toMatchObject([
      { type: 'bfloat16', values: [1, 1 + 2 ** -6, Infinity, NaN] },
    ]);
    expect(tril.writeNpy(y, { dtype: 'float32' })).toEqual(tril.writeNpy(y));
    y.dispose();
  });

  it('writes halves as NumPy does, and back every one of them', async () => {
    const stored = await tril.readArrays(fixture('f2_little'));
    expect(tril.writeNpy(stored[0]!.tensor, { dtype: 'float16' })).toEqual(fixture('f2_little'));
    stored[0]!.tensor.dispose();
    const bits = Uint16Array.from({ length: 65536 }, (_, n) => n);
    for (const [code, dtype] of [
      ['F16', 'float16'],
      ['BF16', 'bfloat16'],
    ] as const) {
      const all = { x: { dtype: code, shape: [65536], data_offsets: [0, 131072] } };
      const file = safetensors(all, new Uint8Array(bits.buffer));
      const [array] = await tril.readArrays(file, 'x.safetensors');
      const written = tril.writeSafetensors({ x: array!.tensor }, { dtype });
      expect(written.slice(-131072), code).toEqual(new Uint8Array(bits.buffer));
      array!.tensor.dispose();
    }
  });

  it('refuses what is malformed, says where, and keeps nothing', async () => {
    const good = fixture('f4_little');
    await expectRefused(good.slice(0, 9), '', 'ends within the header');
    await expectRefused(good.slice(0, -1), '', /byte \d+/);
    await expectRefused(new Uint8Array(), 'a.npy', 'is empty');
    await expectRefused(text('hello'), 'x.bin', 'a kind of file that is not known; .npy, .npz');
    await expectRefused(text('1,2'), 'x.constructor', 'a kind of file that is not known');
    await expectRefused('hello', 'x.npy', 'must be an ArrayBuffer or a Uint8Array');
    await expectRefused(text('[1, 2'), 'x.json', 'is not JSON');
    await expectRefused(text('[[1], [1, 2]]'), 'x.json', 'at [1] must be an array of 1');
    await expectRefused(
      text('{"a": [1], "b": "text"}'),
      'x.json',
      '"b": must be an array of numbers',
    );
    await expectRefused(
      text('{"a": [1], "b": [[1], [2, "x"]]}'),
      'x.json',
      '"b": at [1] must be an',
    );
    // The file begins like 1e12 numbers: no memory is allocated before they are found missing.
    const long = ',1'.repeat(9_999);
    const steps = text(`[[[1${long}]${long}]${long}]`);
    await expectRefused(steps, 'x.json', 'at [0][1] must be an array of 10000, is 1');
    await expectRefused(text('[1,\n2\n3]'), 'x.json', 'is not JSON');
    const name = 'a\n'.repeat(1000);
    const begins = `${JSON.stringify(name.slice(0, 60))}...: must be an array`;
    await expectRefused(text(JSON.stringify({ [name]: 1 })), 'x.json', begins);
    await expectRefused(text(JSON.stringify({ a: name })), 'x.json', '"a": must be an array of');
    await expectRefused(text('{"a": [1], "mask": null}'), 'x.json', '"mask": must be an array of');
    await expectRefused(text('7'), 'x.json', 'must be an array or an object of arrays');
    await expectRefused(text('1,2\n3'), 'x.csv', 'line 2 has 1 numbers, those before it have 2');
    await expectRefused(text('1,2\n3,x'), 'x.csv', 'line 2, column 2: "x" is no number');
    await expectRefused(text('\n# nothing'), 'x.csv', 'there are no numbers');
    await expectRefused(Uint8Array.of(0xff, 0xfe), 'x.csv', 'is not text in UTF-8');
    await expectRefused(safetensors('{"a": 1}'), 'x.safetensors', /byte \d+/);
    const huge = { a: { dtype: 'F32', shape: [2 ** 31 - 1, 2], data_offsets: [0, 8] } };
    await expectRefused(safetensors(huge, float32(1, 2)), 'x.safetensors', 'a');
    const twice = { dtype: 'F32', shape: [1], data_offsets: [0, 4] };
    await expectRefused(safetensors({ a: twice, b: twice }, float32(1)), 'x.safetensors', 'b');
  });

  it('refuses archives that lie', async () => {
    const x = tril.tensor([1, 2, 3]);
    const npy = tril.writeNpy(x);
    x.dispose();
    const good = deflated('x.npy', npy);
    for (let length = 0; length < good.length; length += 7) {
      await expectRefused(good.slice(0, length), 'x.npz', /./);
    }
    const changed = (at: number, value: number) => {
      const file = good.slice();
      file[at] = value;
      return file;
    };
    const list = good.length - 22 - 46 - 'x.npy'.length;
    await expectRefused(changed(list + 8, 1), '', '"x.npy" in the archive is encrypted');
    await expectRefused(changed(list + 10, 12), '', 'packed by method 12; 0 and 8 can be read');
    await expectRefused(changed(list + 16, good[list + 16]! ^ 1), '', 'checksum of "x.npy"');
    await expectRefused(changed(list + 27, 0xff), '', /has \d+ bytes; at most 2147483647/);
    await expectRefused(changed(list + 24, good[list + 24]! - 1), '', 'is longer than the');
    await expectRefused(changed(list + 24, good[list + 24]! + 1), '', 'ends after');
    await expectRefused(deflated('x.txt', npy), '', '"x.txt" in the archive is no .npy file');
    await expectRefused(deflated('x.npy', text('no')), '', 'is no .npy file');
  });

  it('refuses to write what is no tensor', () => {
    expect(() => tril.writeNpy([1] as never)).toThrow('writeNpy: x: must be a tensor');
    expect(() => tril.writeNpz([1] as never)).toThrow('writeNpz: tensors: must be an object');
    expect(() => tril.writeSafetensors({ a: 1 } as never)).toThrow('writeSafetensors: a: must be');
    const x = tril.zeros([1]);
    expect(() => tril.writeSafetensors({ __metadata__: x })).toThrow(TrilError);
    expect(() => tril.writeSafetensors({ 'a\ud83d': x })).toThrow('name "a\\ud83d" is not Unicode');
    const brain = { dtype: 'bfloat16' } as never;
    const says = 'dtype: unknown type "bfloat16"; did you mean "float16"?';
    expect(() => tril.writeNpy(x, brain)).toThrow(`writeNpy: ${says}`);
    expect(() => tril.writeNpz({ x }, brain)).toThrow(`writeNpz: ${says}`);
    expect(() => tril.writeNpy(x, { type: 'float16' } as never)).toThrow('unknown option "type"');
    expect(() => tril.writeSafetensors({ x }, { dtype: 16 } as never)).toThrow('must be a string');
    expect(() => tril.writeSafetensors({ x }, { dtype: 'float64' } as never)).toThrow('float64');
    x.dispose();
  });
});
