const MOST_SLIPS = 2

/** The word of `words` that is closest to `typed`; null if none is close. Up to two typing errors are close, and at
 * most one for every three letters. */
export function nearest(typed: string, words: readonly string[]): string | null {
  const ranked = words
    .map((word) => ({ word, slips: slips(typed.slice(0, 40), word) }))
    .filter((guess) => guess.slips <= allowedSlips(typed, guess.word))
    .toSorted((a, b) => a.slips - b.slips)
  return ranked[0]?.word ?? null
}

// Between short words, two errors are a different word: nope is not open.
function allowedSlips(typed: string, word: string): number {
  return Math.min(MOST_SLIPS, Math.floor(Math.max(typed.length, word.length) / 3))
}

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
function slips(from: string, to: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const replace = (row[j] ?? 0) + (to[j] === from[i] ? 0 : 1)
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j]
      const swap = isSwap ? (before[j - 1] ?? 0) + 1 : replace
      next.push(Math.min(replace, swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
