import { Transform } from 'node:stream'
import type { Pattern } from './patterns.ts'
import { Redactor } from './redactor.ts'

// A prompt has no line end, and must not wait for more output.
const LONGEST_HOLD_MS = 100

/** A stream that replaces the patterns by the names of their values. What may be the beginning of a pattern is shown after
 * 100 ms without more output. */
export function redactedStream(patterns: readonly Pattern[]): Transform {
  const redactor = new Redactor(patterns)
  let timer: NodeJS.Timeout | undefined
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      clearTimeout(timer)
      const shown = redactor.next(chunk)
      if (redactor.isHolding) timer = setTimeout(() => this.push(redactor.flush()), LONGEST_HOLD_MS)
      done(null, shown)
    },
    flush(done) {
      clearTimeout(timer)
      done(null, redactor.flush())
    },
    destroy(error, done) {
      clearTimeout(timer)
      done(error)
    },
  })
}
