import { CryptoError } from './crypto-error.ts'
import { openMinisign } from './minisign.ts'

/** The key that signs releases, as `minisign -P` takes it; null as long as there is none. SECURITY.md shows it too. */
export const PUBLISHER_KEY: string | null = null

/** The signed list of a release. */
export type SignedSums = ReturnType<typeof openSums>

const COMMENT = /^keyferry (\d+\.\d+\.\d+(?:-[\w.]+)?) expires (\d{4}-\d\d-\d\d)$/

/** The comment that is signed with a list, so that an old list cannot pass for a new one. */
export function sumsComment({ version, expires }: Pick<SignedSums, 'version' | 'expires'>): string {
  return `keyferry ${version} expires ${expires}`
}

/** Read a list of `sha256sum` if this key signed it.
 * @param signature the text of its `.minisig`
 * @returns `expires`: the last day on which it counts, `YYYY-MM-DD` in UTC · `sums`: SHA-256 in hexadecimal, by file
 *   name
 * @throws CryptoError bad_note: not signed by this key, or malformed */
export function openSums(text: string, signature: string, publicKey: string) {
  const comment = openMinisign(Buffer.from(text), signature, publicKey)
  if (comment === null) throw new CryptoError('bad_note', 'this key did not sign the list')
  const [, version, expires] = COMMENT.exec(comment) ?? []
  if (version === undefined || expires === undefined)
    throw new CryptoError('bad_note', 'the signature names no version and no date')
  const lines = [...text.matchAll(/^([0-9a-f]{64}) [ *](\S+)$/gm)]
  return { version, expires, sums: new Map(lines.map(([, sum = '', name = '']) => [name, sum])) }
}
