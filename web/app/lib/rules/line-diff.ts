/** A line of a comparison: in both texts, only in the old one, or only in the new one. */
export type DiffLine = { kind: 'same' | 'gone' | 'new'; text: string }

/** Cells of the table that finds the longest common lines; beyond it the middle is shown as replaced. */
const MOST_CELLS = 1_000_000

/** What changed between two texts, line by line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, young] = [before.split('\n'), after.split('\n')]
  const start = commonStart(old, young)
  const end = commonStart(old.slice(start).toReversed(), young.slice(start).toReversed())
  const [gone, added] = [old.slice(start, old.length - end), young.slice(start, young.length - end)]
  return [
    ...old.slice(0, start).map((text) => ({ kind: 'same', text }) as const),
    ...changedLines(gone, added),
    ...old.slice(old.length - end).map((text) => ({ kind: 'same', text }) as const),
  ]
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((line, index) => line !== b[index])
  return different === -1 ? a.length : different
}

function changedLines(gone: readonly string[], added: readonly string[]): DiffLine[] {
  if (gone.length * added.length > MOST_CELLS) return replaced(gone, added)
  const lengths = commonLengths(gone, added)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < gone.length && j < added.length) {
    const text = gone[i] ?? ''
    if (text === added[j]) {
      lines.push({ kind: 'same', text })
      i += 1
      j += 1
    } else if (cell(lengths, i + 1, j) >= cell(lengths, i, j + 1)) {
      lines.push({ kind: 'gone', text })
      i += 1
    } else {
      lines.push({ kind: 'new', text: added[j] ?? '' })
      j += 1
    }
  }
  return [...lines, ...replaced(gone.slice(i), added.slice(j))]
}

// lengths[i][j]: how many lines the rests from i and from j have in common, in order.
function commonLengths(gone: readonly string[], added: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: gone.length + 1 }, () => new Uint16Array(added.length + 1))
  for (let i = gone.length - 1; i >= 0; i -= 1) {
    for (let j = added.length - 1; j >= 0; j -= 1) {
      const common =
        gone[i] === added[j]
          ? cell(lengths, i + 1, j + 1) + 1
          : Math.max(cell(lengths, i + 1, j), cell(lengths, i, j + 1))
      lengths[i]?.fill(common, j, j + 1)
    }
  }
  return lengths
}

function cell(lengths: readonly Uint16Array[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0
}

function replaced(gone: readonly string[], added: readonly string[]): DiffLine[] {
  return [
    ...gone.map((text) => ({ kind: 'gone', text }) as const),
    ...added.map((text) => ({ kind: 'new', text }) as const),
  ]
}
