// Writes models for ONNX Runtime: the few necessary messages of onnx.proto, in protobuf's wire format. Field numbers
// are those of onnx.proto.

const text = new TextEncoder();

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 128 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

const integer = (field, value) => join([varint(field * 8), varint(value)]);
const bytes = (field, content) => join([varint(field * 8 + 2), varint(content.length), content]);
const string = (field, value) => bytes(field, text.encode(value));
const message = (field, ...parts) => bytes(field, join(parts));
const float = (field, value) =>
  join([varint(field * 8 + 5), new Uint8Array(Float32Array.of(value).buffer)]);

const types = { float32: 1, int32: 6, int64: 7 };

function attribute([name, value]) {
  if (typeof value === 'string')
    return message(5, string(1, name), string(4, value), integer(20, 3));
  // A number is an integer unless it is written as { float }.
  if (typeof value === 'number')
    return message(5, string(1, name), integer(3, value), integer(20, 2));
  if (Array.isArray(value)) {
    return message(5, string(1, name), ...value.map((each) => integer(8, each)), integer(20, 7));
  }
  return message(5, string(1, name), float(2, value.float), integer(20, 1));
}

function node({ type, inputs, outputs, attributes = {}, domain = '' }) {
  return message(
    1,
    ...inputs.map((name) => string(1, name)),
    ...outputs.map((name) => string(2, name)),
    string(4, type),
    ...Object.entries(attributes).map(attribute),
    string(7, domain),
  );
}

const typeOf = (data) =>
  data instanceof Float32Array
    ? types.float32
    : data instanceof Int32Array
      ? types.int32
      : types.int64;

const constant = ([name, { shape, data }]) =>
  message(
    5,
    ...shape.map((size) => integer(1, size)),
    integer(2, typeOf(data)),
    string(8, name),
    bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );

const value = (field, [name, { shape, type = 'float32' }]) => {
  const sizes = shape.map((size) =>
    message(1, typeof size === 'string' ? string(2, size) : integer(1, size)),
  );
  return message(
    field,
    string(1, name),
    message(2, message(1, integer(1, types[type]), message(2, ...sizes))),
  );
};

/**
 * The bytes of a model.
 * @param {object} graph { inputs, outputs: { name: { shape, type? } }, where a size may be a name,
 *     constants: { name: { shape, data } }, nodes: [{ type, inputs, outputs, attributes, domain }] }
 */
export function onnxModel({ inputs, outputs, constants = {}, nodes, opset = 21 }) {
  return join([
    integer(1, 10), // version of the format
    message(8, string(1, ''), integer(2, opset)),
    message(8, string(1, 'com.microsoft'), integer(2, 1)),
    message(
      7,
      ...nodes.map(node),
      string(2, 'bench'),
      ...Object.entries(constants).map(constant),
      ...Object.entries(inputs).map((each) => value(11, each)),
      ...Object.entries(outputs).map((each) => value(12, each)),
    ),
  ]);
}
