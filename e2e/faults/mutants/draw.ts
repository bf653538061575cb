/** One group of files that gets its share of a draw. */
export type Room<T> = { readonly lines: number; readonly changes: readonly (T & { readonly kind: string })[] }

/** Draw changes of all rooms. Each room gets its share by lines, and at least one. In a room, each kind of change is as
 * likely as another: otherwise most would be entries of lists. The same seed draws the same changes. */
export function draw<T>(rooms: readonly Room<T>[], { count, seed }: { count: number; seed: number }): T[] {
  const random = randomOf(seed)
  const total = rooms.reduce((sum, { lines }) => sum + lines, 0)
  return rooms.flatMap(({ lines, changes }) => {
    const kinds = Map.groupBy(changes, ({ kind }) => kind)
    const drawn: T[] = []
    const share = Math.max(1, Math.round((count * lines) / total))
    while (drawn.length < share && kinds.size > 0) {
      const [kind, left] = taken([...kinds], random)
      drawn.push(taken(left, random))
      if (left.length === 0) kinds.delete(kind)
    }
    return drawn
  })
}

function taken<T>(left: T[], random: () => number): T {
  const [one] = left.splice(Math.floor(random() * left.length), 1)
  if (one === undefined) throw new Error('nothing is left to draw')
  return one
}

/** The mulberry32 generator: Math.random cannot be repeated. @returns numbers from 0 to below 1 */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
