/** Bytes that show a value, and the name to show in their place. */
export type Pattern = { readonly bytes: Buffer; readonly name: string }

// Every pattern is longer. Four bytes tell nearly all positions of an output that no pattern starts there.
const PREFIX = 4

/** A pattern in the list of all patterns, sorted by bytes. `within`: the longest other pattern that this one starts
 * with. */
type PatternPlace = Pattern & { readonly within: PatternPlace | null }

/** Replaces patterns in a stream of bytes by `[keyferry:NAME]`, also across chunks. If several patterns match at
 * one place, the longest counts. Keeps back bytes that may be the start of a pattern. */
export class Redactor {
  // Sorted, for a binary search: lines of one value often share a beginning, and an output can repeat it many times.
  readonly #places: readonly PatternPlace[]
  // First bytes of a pattern → the range of its places; `to` is exclusive.
  readonly #byPrefix = new Map<number, readonly [from: number, to: number]>()
  // Whether a pattern starts with these two bytes.
  readonly #mayStart = new Uint8Array(0x1_00_00)
  #waiting: Buffer = Buffer.alloc(0)

  /** @param patterns of at least four bytes each */
  constructor(patterns: readonly Pattern[]) {
    this.#places = inOrder(patterns)
    for (const [index, { bytes }] of this.#places.entries()) {
      const prefix = bytes.readUInt32LE()
      const [from] = this.#byPrefix.get(prefix) ?? [index]
      this.#byPrefix.set(prefix, [from, index + 1])
      this.#mayStart[prefix & 0xff_ff] = 1
    }
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** @returns what can be shown of everything that came so far */
  next(chunk: Buffer): Buffer {
    return this.#pass(this.isWaiting ? Buffer.concat([this.#waiting, chunk]) : chunk, true)
  }

  /** @returns what was kept back */
  flush(): Buffer {
    return this.#pass(this.#waiting, false)
  }

  #pass(data: Buffer, mayGoOn: boolean): Buffer {
    const shown: Buffer[] = []
    let from = 0
    let at = 0
    while (at < data.length) {
      const found = this.#canStart(data, at) ? this.#find(data, at, mayGoOn) : null
      if (found === 'unfinished') break
      if (found === null) {
        at += 1
        continue
      }
      shown.push(data.subarray(from, at), Buffer.from(`[keyferry:${found.name}]`))
      at += found.bytes.length
      from = at
    }
    this.#waiting = Buffer.from(data.subarray(at))
    return shown.length === 0 ? data.subarray(0, at) : Buffer.concat([...shown, data.subarray(from, at)])
  }

  #canStart(data: Buffer, at: number): boolean {
    const [first = 0, second] = [data[at], data[at + 1]]
    return second === undefined || this.#mayStart[first | (second << 8)] === 1
  }

  #find(data: Buffer, at: number, mayGoOn: boolean): Pattern | 'unfinished' | null {
    const rest = data.length - at
    const range =
      rest < PREFIX ? ([0, this.#places.length] as const) : this.#byPrefix.get(data.readUInt32LE(at))
    if (range === undefined) return null
    const next = this.#firstAfter(data, at, range)
    const longer = this.#places[next]?.bytes
    // A pattern that starts with the rest of the data is the next place in sort order.
    if (mayGoOn && longer !== undefined && rest < longer.length && data.compare(longer, 0, rest, at) === 0)
      return 'unfinished'
    // If a pattern is a prefix of the data, every place between the two in sort order starts with that pattern too.
    let found = next === range[0] ? null : (this.#places[next - 1] ?? null)
    while (found !== null && order(data, at, found.bytes) !== 0) found = found.within
    return found
  }

  /** The index of the first place in the range that comes after the bytes. */
  #firstAfter(data: Buffer, at: number, [from, to]: readonly [number, number]): number {
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high) >>> 1
      const { bytes } = this.#places[middle] ?? {}
      if (bytes !== undefined && order(data, at, bytes) < 0) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Compare the data at `at` with a pattern; 0: the data starts with the pattern. */
function order(data: Buffer, at: number, pattern: Buffer): number {
  return data.compare(pattern, 0, pattern.length, at, Math.min(data.length, at + pattern.length))
}

function inOrder(patterns: readonly Pattern[]): PatternPlace[] {
  const places: PatternPlace[] = []
  for (const pattern of patterns.toSorted((one, other) => one.bytes.compare(other.bytes))) {
    let within = places.at(-1) ?? null
    if (within?.bytes.equals(pattern.bytes)) continue
    while (within !== null && order(pattern.bytes, 0, within.bytes) !== 0) within = within.within
    places.push({ ...pattern, within })
  }
  return places
}
