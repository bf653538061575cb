import { LIMITS } from '../limits.ts'

const utf8 = new TextEncoder()

/** Why no key can contain this value, as the end of a sentence that begins with "value"; null if one can. */
export function valueProblem(value: string): string | null {
  if (value.includes('\0')) return 'must not contain NUL: an environment variable cannot hold it'
  if (!value.isWellFormed()) return 'must be well-formed Unicode (it has a lone surrogate)'
  if (utf8.encode(value).length <= LIMITS.valueBytes) return null
  return `must be at most ${LIMITS.valueBytes} bytes of UTF-8`
}
