import { LIMITS } from '../limits.ts'
import { EnvDialectError, type ImportText } from './import-text.ts'
import { parseEnvDialect } from './parse-env-dialect.ts'
import { parseJsonDialect } from './parse-json-dialect.ts'

const utf8 = new TextEncoder()

/** Read what a person hands in: JSON if it begins with `{`, `.env` text otherwise.
 * @throws EnvDialectError not UTF-8, not readable, or a value that no key can hold */
export function readImport(bytes: Uint8Array): ImportText {
  const text = decode(bytes)
  const parsed = /^\s*\{/.test(text.replace(/^\ufeff/, '')) ? parseJsonDialect(text) : parseEnvDialect(text)
  for (const { name, value, line } of parsed.entries) {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw new EnvDialectError(line, `gives ${name} a value that no environment variable can hold`)
    }
    if (utf8.encode(value).length > LIMITS.valueBytes) {
      throw new EnvDialectError(line, `gives ${name} a value over ${LIMITS.valueBytes / 1024} KiB`)
    }
  }
  return parsed
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new EnvDialectError(null, `it is not UTF-8 text${looksLikeUtf16(bytes) ? ' but UTF-16' : ''}`, {
      cause,
    })
  }
}

function looksLikeUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}
