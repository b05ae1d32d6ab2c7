// Writes a language that nobody speaks, out of English: longer words, every vowel with an accent, and, where the
// language is read from right to left, every word turned around. What stands on a page without an accent has
// escaped translation; what does not fit would not fit in other languages.
//
//   node texts/pseudo.mjs           en-XA and ar-XB into generated/texts, and the page in both, dist-en-XA, dist-ar-XB
//   node texts/pseudo.mjs en-XA     one of them
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@messageformat/parser';
import remarkDirective from 'remark-directive';
import remarkMath from 'remark-math';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { isScalar, parseDocument, visit } from 'yaml';

const from = 'src/texts/en';
/** Tags of what has no words. */
const formulas = ['!tex', '!display'];
const wanted = process.argv.slice(2);
const languages = wanted.length > 0 ? wanted : ['en-XA', 'ar-XB'];
let turned = false;

const accented = Object.fromEntries(
  [...'aeiouyAEIOUY'].map((letter, i) => [letter, [...'áéíóúýÁÉÍÓÚÝ'][i]]),
);

/** Names of sections, directives and matrices stay as they are. */
const kept = /\{#[\w-]+(?: deep)?\}|W_[QKVO]/gu;

function disguise(text) {
  const longer = (words) =>
    words.replace(
      /[aeiouyAEIOUY]/gu,
      (letter) => accented[letter] + accented[letter.toLowerCase()],
    );
  const parts = text.split(kept);
  const names = text.match(kept) ?? [];
  const turn = (words) => (turned && /\S/u.test(words) ? `\u202e${words}\u202c` : words);
  return parts.map((part, i) => turn(longer(part)) + (names[i] ?? '')).join('');
}

/** The text with each of the pieces, [begin, end, what], in its place. */
function splice(text, pieces) {
  let done = text;
  for (const [begin, end, what] of pieces.sort(([a], [b]) => b - a)) {
    done = done.slice(0, begin) + what + done.slice(end);
  }
  return done;
}

/** What is put into a message does not run together with what is around it. */
function piecesOf(tokens) {
  return tokens.flatMap((token) => {
    const { offset, text } = token.ctx;
    const end = offset + text.length;
    if (token.type === 'content') return [[offset, end, disguise(text)]];
    if (token.type === 'argument') return [[offset, end, `\u2068${text}\u2069`]];
    return (token.cases ?? []).flatMap((one) => piecesOf(one.tokens));
  });
}

function messages(source) {
  const customTags = formulas.map((tag) => ({ tag, resolve: (text) => text }));
  const document = parseDocument(source, { customTags });
  visit(document, {
    Pair: (_, { value }) => void change(value),
    Seq: (_, { items }) => items.forEach(change),
  });
  return document.toString({ lineWidth: 0 });
}

function change(node) {
  if (!isScalar(node) || formulas.includes(node.tag)) return;
  node.value = splice(node.value, piecesOf(parse(node.value)));
}

const parser = unified().use(remarkParse).use(remarkMath).use(remarkDirective);

function prose(source) {
  const pieces = [];
  const walk = (node) => {
    const { start, end } = node.position;
    if (node.type === 'text') {
      const [a, b] = [start.offset, end.offset];
      // A colon before the sign that ends a turned word would begin a directive.
      pieces.push([a, b, disguise(source.slice(a, b)).replace(/:(?=\u202c)/gu, '\\:')]);
    }
    node.children?.forEach(walk);
  };
  walk(parser.parse(source));
  return splice(source, pieces);
}

for (const language of languages) {
  turned = new Intl.Locale(language).textInfo.direction === 'rtl';
  const into = join('generated', 'texts', language);
  mkdirSync(into, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = readFileSync(join(from, name), 'utf8');
    writeFileSync(join(into, name), name.endsWith('.md') ? prose(source) : messages(source));
  }
}

// Side by side, since a build mostly takes one processor.
for (const language of languages) {
  const env = { ...process.env, TRIL_LANGUAGE: language, TRIL_TEXTS: join('generated', 'texts') };
  spawn('npx', ['vite', 'build'], { env, stdio: 'inherit' }).on('close', (status) => {
    if (status !== 0) process.exitCode = 1;
  });
}
