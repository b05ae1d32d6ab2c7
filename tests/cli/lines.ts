// Lines of all scripts, emoji and invalid UTF-8, drawn from a seed, for comparing tokenizers.
import { Random } from '../wasm/golden.js';

const words = [
  'the',
  "don't",
  "they'll",
  "I'd",
  'we’ve',
  'Hello',
  'attention',
  'x',
  'HTTP',
  'über',
];
const signs = [
  '.',
  ', ',
  '...',
  '!?',
  ' (',
  ')',
  '_',
  ' #',
  "'",
  "'s",
  '->',
  '<|endoftext|>',
  '{}',
];
const spaces = [
  ' ',
  ' ',
  ' ',
  '  ',
  '    ',
  '\t',
  '\r',
  ' \t ',
  '\u3000',
  '\u00a0',
  '\u2009\u2009',
];
const emoji = ['😀', '👩‍👩‍👧', '🇩🇪', '👍🏽', '☺️', '1️⃣', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'];

/**
 * Whether Tril and JavaScript agree on the class of a character. They differ on \s: JavaScript's has U+FEFF and lacks
 * U+0085, while Unicode's White_Space, which GPT-2's own expression means, does the opposite. Characters that this Node
 * does not know yet may be letters, and U+F780 to U+F7FF stand for bytes here.
 */
function isAgreedOn(code: number): boolean {
  if (code === 0x0a || code === 0x85 || code === 0xfeff) return false;
  if (code >= 0xf780 && code <= 0xf7ff) return false;
  return !/^[\p{Cn}\p{Cs}]$/u.test(String.fromCodePoint(code));
}

/** The characters in blocks of 128, following the scripts in Unicode; the largest scripts are one block each. */
function findBlocks(): string[][] {
  const large = [
    0x3400, 0xa000, 0xac00, 0xd7a4, 0xe000, 0xf900, 0x17000, 0x19000, 0x20000, 0xe0000, 0x110000,
  ];
  const blocks = new Map<string, string[]>();
  for (let code = 0; code < 0x110000; ++code) {
    if (!isAgreedOn(code)) continue;
    const after = large.findIndex((begin) => code < begin);
    const key = after % 2 === 1 ? `large ${after}` : `${code >> 7}`;
    const block = blocks.get(key);
    if (block) block.push(String.fromCodePoint(code));
    else blocks.set(key, [String.fromCodePoint(code)]);
  }
  return [...blocks.values()];
}

/** Lines as bytes, about a third of them with invalid UTF-8. No line has a line feed. */
export function drawLines(count: number, seed: number): Buffer[] {
  const random = new Random(seed);
  const below = (bound: number) => random.bits() % bound;
  const any = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const blocks = findBlocks();
  return Array.from({ length: count }, () => {
    const block = any(blocks);
    const isBroken = below(3) === 0;
    const parts = Array.from({ length: 1 + below(12) }, () => {
      const kind = below(isBroken ? 9 : 8);
      if (kind < 3) return Array.from({ length: 1 + below(8) }, () => any(block)).join('');
      if (kind === 3) return any(words);
      if (kind === 4) return any(signs);
      if (kind === 5) return String(below(10 ** (1 + below(6))));
      if (kind === 6) return any(emoji);
      if (kind === 7) return any(spaces);
      return Buffer.from(Array.from({ length: 1 + below(4) }, () => 0x80 + below(0x80)));
    });
    return Buffer.concat(
      parts.flatMap((part) => [Buffer.from(part), Buffer.from(below(2) ? ' ' : '')]),
    );
  });
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as a text in which each byte of invalid UTF-8 is the private character U+F700 plus the byte. */
export function escape(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!;
    const size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    try {
      const character = strict.decode(bytes.subarray(at, at + size));
      if ([...character].length !== 1) throw new Error('not one character');
      text += character;
      at += size;
    } catch {
      text += String.fromCharCode(0xf700 + first);
      at += 1;
    }
  }
  return text;
}

/** The bytes of such a text. */
export const unescape = (text: string): Buffer =>
  Buffer.concat(
    [...text].map((character) => {
      const code = character.codePointAt(0)!;
      return code >= 0xf780 && code <= 0xf7ff ? Buffer.of(code - 0xf700) : Buffer.from(character);
    }),
  );
