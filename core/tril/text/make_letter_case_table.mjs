// Writes letter_case_table.cc: which letters are capitals (Unicode's categories Lu and Lt) and which are small (Ll), from
// the Unicode data that Node carries (ICU's).
//
//   node core/tril/text/make_letter_case_table.mjs     - prints it instead
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const last = 0x10ffff;
const [none, capital, small] = [0, 1, 2];
function caseOf(code) {
  if (code > last || (code >= 0xd800 && code < 0xe000)) return none;
  const character = String.fromCodePoint(code);
  if (/^[\p{Lu}\p{Lt}]$/u.test(character)) return capital;
  return /^\p{Ll}$/u.test(character) ? small : none;
}

// Of one case, or of both in turn; as 4 * code point + 2 where in turn + 1 where the first is small, and the last.
const runs = [];
for (let code = 0; code <= last;) {
  const first = caseOf(code);
  if (first === none) {
    ++code;
    continue;
  }
  const inTurn = caseOf(code + 1) === 3 - first;
  let end = code;
  while (caseOf(end + 1) === (inTurn ? 3 - caseOf(end) : first)) ++end;
  runs.push([4 * code + 2 * inTurn + (first === small), end]);
  code = end + 1;
}

const rows = [];
for (const [first, end] of runs) {
  const entry = `{0x${first.toString(16)}, 0x${end.toString(16)}}`;
  const row = rows.at(-1);
  if (row && row.length + entry.length + 2 <= 100) rows[rows.length - 1] = `${row} ${entry},`;
  else rows.push(`    ${entry},`);
}

const printed = process.argv[2] === '-';
writeFileSync(
  printed ? 1 : fileURLToPath(new URL('letter_case_table.cc', import.meta.url)),
  `// Made by make_letter_case_table.mjs from Unicode ${process.versions.unicode}.
#include <tril/text/letter_case.h>

namespace tril::detail {
namespace {

// clang-format off
constexpr CaseRun kRuns[] = {
${rows.join('\n').slice(0, -1)}};
// clang-format on

}  // namespace

std::span<const CaseRun> case_runs() noexcept { return kRuns; }

}  // namespace tril::detail
`,
);
