/** The word of `words` that is closest to `typed`, at most two typing errors away; null if none is. */
export function nearest(typed: string, words: readonly string[]): string | null {
  const ranked = words
    .map((word) => ({ word, slips: slips(typed.slice(0, 40), word) }))
    .toSorted((a, b) => a.slips - b.slips)
  const best = ranked[0]
  return best !== undefined && best.slips <= 2 ? best.word : null
}

/** Insertions, deletions and replacements between two words (Levenshtein). */
function slips(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const replace = (row[j] ?? 0) + (to[j] === letter ? 0 : 1)
      next.push(Math.min(replace, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
