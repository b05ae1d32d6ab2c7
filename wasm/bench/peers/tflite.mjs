// Writes models for LiteRT: the few necessary tables of TensorFlow Lite's schema.fbs, as flatbuffers. Fields are
// numbered in the order of that file.

import { Builder } from 'flatbuffers';

const tensorTypes = { float32: 0, int32: 2 };

// name: [operator, its options' position in the union BuiltinOptions, fields of the options]
const operators = {
  ADD: [0, 11, []],
  FULLY_CONNECTED: [
    9,
    8,
    [
      ['activation', 'Int8'],
      ['format', 'Int8'],
      ['keepAxes', 'Int8'],
    ],
  ],
  MUL: [18, 21, []],
  RESHAPE: [22, 0, []],
  SOFTMAX: [25, 9, [['beta', 'Float32']]],
  TRANSPOSE: [39, 0, []],
  MEAN: [40, 27, [['keepAxes', 'Int8']]],
  SUB: [41, 28, []],
  RSQRT: [76, 0, []],
  BATCH_MATMUL: [
    126,
    101,
    [
      ['turnLeft', 'Int8'],
      ['turnRight', 'Int8'],
    ],
  ],
};

/** A graph under construction; every tensor has a number. */
export class TfliteGraph {
  #tensors = [];
  #operators = [];

  tensor(shape, { type = 'float32', data } = {}) {
    return this.#tensors.push({ shape, type, data }) - 1;
  }

  constant(shape, data) {
    return this.tensor(shape, { data, type: data instanceof Int32Array ? 'int32' : 'float32' });
  }

  /** Adds an operator; returns its output, of this shape. */
  add(name, inputs, shape, options = {}) {
    const output = this.tensor(shape);
    this.#operators.push({ name, inputs, output, options });
    return output;
  }

  /** The bytes of a model with these inputs and this output. */
  finish(inputs, output) {
    const builder = new Builder(1 << 20);
    const table = (count, ...fields) => {
      builder.startObject(count);
      for (const add of fields) add();
      return builder.endObject();
    };
    const offset = (slot, value) => () => builder.addFieldOffset(slot, value, 0);
    const number = (kind, slot, value) => () => builder[`addField${kind}`](slot, value, 0);
    const offsets = (all) => {
      builder.startVector(4, all.length, 4);
      for (const each of all.toReversed()) builder.addOffset(each);
      return builder.endVector();
    };
    const integers = (all) => {
      builder.startVector(4, all.length, 4);
      for (const each of all.toReversed()) builder.addInt32(each);
      return builder.endVector();
    };
    const bytes = (data) => {
      const all = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      builder.startVector(1, all.length, 16);
      builder.bb.setPosition((builder.space -= all.length));
      builder.bb.bytes().set(all, builder.space);
      return builder.endVector();
    };

    const used = [...new Set(this.#operators.map(({ name }) => name))];
    const codes = used.map((name) => {
      const [code] = operators[name];
      const old = Math.min(code, 127);
      return table(4, number('Int8', 0, old), number('Int32', 2, 1), number('Int32', 3, code));
    });
    const buffers = [table(1)]; // the first is empty by convention
    const tensors = this.#tensors.map(({ shape, type, data }, index) => {
      const name = builder.createString(`t${index}`);
      const sizes = integers(shape);
      const content = data && bytes(data);
      const place = data ? buffers.push(table(1, offset(0, content))) - 1 : 0;
      return table(
        4,
        offset(0, sizes),
        number('Int8', 1, tensorTypes[type]),
        number('Int32', 2, place),
        offset(3, name),
      );
    });
    const steps = this.#operators.map(({ name, inputs: from, output: to, options }) => {
      const [, union, fields] = operators[name];
      const [ins, outs] = [integers(from), integers([to])];
      const values = fields.map(([key, kind], slot) => number(kind, slot, options[key] ?? 0));
      const about = union ? table(Math.max(fields.length, 1), ...values) : 0;
      return table(
        5,
        number('Int32', 0, used.indexOf(name)),
        offset(1, ins),
        offset(2, outs),
        number('Int8', 3, union),
        offset(4, about),
      );
    });
    const parts = [offsets(tensors), integers(inputs), integers([output]), offsets(steps)];
    const graph = offsets([table(5, ...parts.map((part, slot) => offset(slot, part)))]);
    const model = [offsets(codes), graph, offsets(buffers)];
    const root = table(
      5,
      number('Int32', 0, 3),
      offset(1, model[0]),
      offset(2, model[1]),
      offset(4, model[2]),
    );
    builder.finish(root, 'TFL3');
    return builder.asUint8Array().slice();
  }
}
