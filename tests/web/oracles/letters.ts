// Letters as tokens, in order of first appearance.
export function tokensOf(say: string) {
  const letters: string[] = [];
  const tokens = Array.from(say, (letter) => {
    if (!letters.includes(letter)) letters.push(letter);
    return letters.indexOf(letter);
  });
  return { tokens, letters };
}
