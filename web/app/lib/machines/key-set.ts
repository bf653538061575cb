import type { NewTrust } from './answers.ts'

type TrustKeys = NonNullable<NewTrust['keys']>

const SECRET_PARTS = ['d', 'p', 'q', 'k']

/** The key set (JWKS) in a pasted text; null for an empty text; a text says what is wrong with it. */
export function keySetIn(text: string): TrustKeys | string | null {
  if (text.trim() === '') return null
  const keys = keysIn(text)
  if (keys === null) return 'Paste the whole key set: {"keys": [ … ]}.'
  if (keys.some((key) => SECRET_PARTS.some((part) => part in key)))
    return 'This key set has private keys. Paste the public one, and replace the keys that you pasted here.'
  return { keys }
}

function keysIn(text: string): Record<string, unknown>[] | null {
  const parsed = parse(text)
  if (!isRecord(parsed) || !Array.isArray(parsed['keys'])) return null
  const keys = parsed['keys'].filter(isRecord)
  return keys.length > 0 && keys.length === parsed['keys'].length ? keys : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
