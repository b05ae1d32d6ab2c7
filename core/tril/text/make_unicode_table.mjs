// Writes unicode_table.cc: which code points are letters, numbers, white space, marks, punctuation and controls, from
// the Unicode data that Node carries (ICU's). A new version of Unicode only gives classes to code points that had none.
//
//   node core/tril/text/make_unicode_table.mjs     - prints it instead
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// 1 to 7; 0 is everything else. Unicode has no more than the first that fits, but for white space that is a control.
const classes = [
  /^\p{L}$/u,
  /^\p{N}$/u,
  /^\p{White_Space}$/u,
  /^\p{Mn}$/u,
  /^[\p{Mc}\p{Me}]$/u,
  /^\p{P}$/u,
  /^[\p{Cc}\p{Cf}\p{Co}]$/u,
];
const last = 0x10ffff;

/** Each code point at which another class begins, as 8 * code point + class. */
function changes() {
  const found = [];
  for (let code = 0, before = -1; code <= last; ++code) {
    const isSurrogate = code >= 0xd800 && code < 0xe000;
    const character = isSurrogate ? '' : String.fromCodePoint(code);
    const now = classes.findIndex((expression) => expression.test(character)) + 1;
    if (now !== before) found.push(8 * code + now);
    before = now;
  }
  return found;
}

const numbers = changes().map((change) => `0x${change.toString(16)}`);
const rows = [];
for (const number of numbers) {
  const row = rows.at(-1);
  if (row && row.length + number.length + 2 <= 100) rows[rows.length - 1] = `${row} ${number},`;
  else rows.push(`    ${number},`);
}
const array = rows.join('\n').slice(0, -1);

const printed = process.argv[2] === '-';
writeFileSync(
  printed ? 1 : fileURLToPath(new URL('unicode_table.cc', import.meta.url)),
  `// Made by make_unicode_table.mjs from Unicode ${process.versions.unicode}.
#include <tril/text/unicode.h>

namespace tril::detail {
namespace {

// clang-format off
constexpr std::uint32_t kChanges[] = {
${array}};
// clang-format on

}  // namespace

std::span<const std::uint32_t> character_class_changes() noexcept { return kChanges; }

}  // namespace tril::detail
`,
);
