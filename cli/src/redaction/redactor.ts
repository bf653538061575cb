import type { Pattern } from './patterns.ts'

// Every pattern is longer. Four bytes tell nearly all positions of an output that no pattern starts there.
const PREFIX = 4

/** Replaces patterns in a stream of bytes by `[keyferry:NAME]`, also across chunks. Of several patterns at one
 * place, the longest counts. Bytes that may be the beginning of a pattern are held back. */
export class Redactor {
  readonly #patterns: readonly Pattern[]
  readonly #byPrefix = new Map<number, Pattern[]>()
  // Whether a pattern starts with these two bytes.
  readonly #mayStart = new Uint8Array(0x1_00_00)
  #held: Buffer = Buffer.alloc(0)

  /** @param patterns of at least four bytes each */
  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns.toSorted((one, other) => other.bytes.length - one.bytes.length)
    for (const pattern of this.#patterns) {
      const prefix = pattern.bytes.readUInt32LE()
      const others = this.#byPrefix.get(prefix)
      if (others === undefined) this.#byPrefix.set(prefix, [pattern])
      else others.push(pattern)
      this.#mayStart[prefix & 0xff_ff] = 1
    }
  }

  get isHolding(): boolean {
    return this.#held.length > 0
  }

  /** @returns what can be shown of everything that came so far */
  next(chunk: Buffer): Buffer {
    return this.#pass(this.isHolding ? Buffer.concat([this.#held, chunk]) : chunk, true)
  }

  /** @returns what was held back */
  flush(): Buffer {
    return this.#pass(this.#held, false)
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
    this.#held = Buffer.from(data.subarray(at))
    return shown.length === 0 ? data.subarray(0, at) : Buffer.concat([...shown, data.subarray(from, at)])
  }

  #canStart(data: Buffer, at: number): boolean {
    const [first = 0, second] = [data[at], data[at + 1]]
    return second === undefined || this.#mayStart[first | (second << 8)] === 1
  }

  #find(data: Buffer, at: number, mayGoOn: boolean): Pattern | 'unfinished' | null {
    const rest = data.length - at
    const candidates = rest < PREFIX ? this.#patterns : this.#byPrefix.get(data.readUInt32LE(at))
    for (const pattern of candidates ?? []) {
      const length = Math.min(pattern.bytes.length, rest)
      if (length < pattern.bytes.length && !mayGoOn) continue
      if (data.compare(pattern.bytes, 0, length, at, at + length) !== 0) continue
      return length === pattern.bytes.length ? pattern : 'unfinished'
    }
    return null
  }
}
