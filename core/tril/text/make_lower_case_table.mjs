// Writes lower_case_table.cc: the small letter of each capital (Unicode's simple lower-case mappings), from the Unicode
// data that Node carries (ICU's). U+0130 is the one whose small form is two characters, and is left out.
//
//   node core/tril/text/make_lower_case_table.mjs     - prints it instead
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const runs = [];
for (let code = 0; code <= 0x10ffff; ++code) {
  if (code >= 0xd800 && code < 0xe000) continue;
  const small = [...String.fromCodePoint(code).toLowerCase()].map((each) => each.codePointAt(0));
  if (small.length > 1 || small[0] === code) continue;
  const distance = small[0] - code;
  const run = runs.at(-1);
  const step = run && code - run.last;
  if (run?.distance === distance && (run.first === run.last ? step <= 2 : step === run.step)) {
    Object.assign(run, { step, last: code });
  } else {
    runs.push({ first: code, last: code, step: 1, distance });
  }
}

const rows = [];
const hexadecimal = (code) => `0x${code.toString(16)}`;
for (const { first, last, step, distance } of runs) {
  const entry = `{${hexadecimal(first)}, ${hexadecimal(last)}, ${step}, ${distance}}`;
  const row = rows.at(-1);
  if (row && row.length + entry.length + 2 <= 100) rows[rows.length - 1] = `${row} ${entry},`;
  else rows.push(`    ${entry},`);
}

const printed = process.argv[2] === '-';
writeFileSync(
  printed ? 1 : fileURLToPath(new URL('lower_case_table.cc', import.meta.url)),
  `// Made by make_lower_case_table.mjs from Unicode ${process.versions.unicode}.
#include <tril/text/letter_case.h>

namespace tril::detail {
namespace {

// clang-format off
constexpr Capitals kCapitals[] = {
${rows.join('\n').slice(0, -1)}};
// clang-format on

}  // namespace

std::span<const Capitals> capitals() noexcept { return kCapitals; }

}  // namespace tril::detail
`,
);
