// Writes nfc_table.cc: what Unicode's normal form C needs (Unicode Standard Annex 15), from the Unicode data that
// Node carries (ICU's), which tells it through String.normalize alone. Of what is assigned nothing ever changes.
//
//   node core/tril/text/make_nfc_table.mjs     - prints it instead
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const text = (...codes) => String.fromCodePoint(...codes);
const codesOf = (string) => [...string].map((character) => character.codePointAt(0));
const decomposed = (code) => codesOf(text(code).normalize('NFD'));
const isHangul = (code) => code >= 0xac00 && code <= 0xd7a3;
const all = Array.from({ length: 0x110000 }, (_, code) => code).filter(
  (code) => (code < 0xd800 || code >= 0xe000) && !isHangul(code),
);

// Decompositions, each into one or two code points, of which the first may go on; `isComposed`: two of which this is
// made again.
const changed = all.filter((code) => text(code).normalize('NFD') !== text(code));
const byParts = new Map(changed.map((code) => [String(decomposed(code)), code]));
// Several may have the same parts: U+00C5 and the sign of the angstrom. Composing asks for the one that it makes.
const together = (parts) => {
  const joined = codesOf(text(...parts).normalize('NFC'));
  return joined.length === 1 ? joined[0] : byParts.get(String(parts));
};
const decompositions = changed.map((code) => {
  const parts = decomposed(code);
  const last = parts.length > 1 ? parts.pop() : 0;
  const first = parts.length > 1 ? together(parts) : parts[0];
  return { code, first, last, isComposed: text(code).normalize('NFC') === text(code) };
});
// Combining classes, by their order: two characters change places where the second has the lower class, and neither
// has class 0.
const swaps = (a, b) => text(a, b).normalize('NFD') !== text(a, b);
const [low, high] = [0x334, 0x345]; // of the lowest and of the highest class
const marks = all.filter(
  (code) => decomposed(code).length === 1 && (swaps(code, low) || swaps(high, code)),
);
const order = (a, b) => (swaps(a, b) ? 1 : swaps(b, a) ? -1 : 0);
const sorted = marks.filter((code) => text(code).normalize('NFD') === text(code)).sort(order);
const classOf = new Map();
for (let n = 0, rank = 0; n < sorted.length; ++n) {
  if (n === 0 || order(sorted[n - 1], sorted[n]) !== 0) ++rank;
  classOf.set(sorted[n], rank);
}

// 0: begins anew, whatever stands before it. Otherwise the combining class, and 128 where it may not stay as it is.
const composed = decompositions.filter(({ isComposed }) => isComposed);
const seconds = new Set(composed.map(({ last }) => last));
const lost = new Set(
  decompositions.filter(({ isComposed }) => !isComposed).map(({ code }) => code),
);
const isJamo = (code) => (code >= 0x1161 && code <= 0x1175) || (code >= 0x11a8 && code <= 0x11c2);
const changes = [];
for (let code = 0, before = -1; code < 0x110000; ++code) {
  const may = seconds.has(decomposed(code)[0]) || lost.has(code) || isJamo(code) ? 128 : 0;
  const now = may + (classOf.get(code) ?? 0);
  if (now !== before) changes.push({ code, now });
  before = now;
}

// Seven bits a byte, the lowest first, 128 more where others follow; each number as how far it is from the one before.
const bytes = [];
function append(number) {
  for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) + 128);
  bytes.push(number);
}
function appendSteps(numbers) {
  numbers.forEach((number, n) => {
    const step = number - (numbers[n - 1] ?? 0);
    append(step < 0 ? -2 * step - 1 : 2 * step);
  });
}
append(changes.length);
appendSteps(changes.map(({ code }) => code));
for (const { now } of changes) append(now);
append(decompositions.length);
appendSteps(decompositions.map(({ code }) => code));
appendSteps(decompositions.map(({ first }) => first));
appendSteps(decompositions.map(({ last }) => last));
for (const { isComposed } of decompositions) append(Number(isComposed));

const rows = [];
for (const byte of bytes) {
  const row = rows.at(-1);
  if (row && row.length + String(byte).length + 1 <= 100) rows[rows.length - 1] = `${row}${byte},`;
  else rows.push(`    ${byte},`);
}

const printed = process.argv[2] === '-';
writeFileSync(
  printed ? 1 : fileURLToPath(new URL('nfc_table.cc', import.meta.url)),
  `// Made by make_nfc_table.mjs from Unicode ${process.versions.unicode}.
#include <tril/text/nfc_table.h>

namespace tril::detail {
namespace {

// clang-format off
constexpr std::uint8_t kPacked[] = {
${rows.join('\n').slice(0, -1)}};
// clang-format on

}  // namespace

std::span<const std::uint8_t> packed_nfc_table() noexcept { return kPacked; }

}  // namespace tril::detail
`,
);
