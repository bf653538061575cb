import { decodeBase64 } from './base64.ts'
import { CryptoError } from './crypto-error.ts'
import { openNote } from './signed-note.ts'

/** What a note says of a chain. `origin`: `<host>/audit/<tenant id>`; `seq` and `hash`: its newest entry then; `at`: an
 * ISO timestamp. */
export type ChainNote = {
  readonly origin: string
  readonly seq: number
  readonly hash: string
  readonly epoch: number
  readonly at: string
}

const HASH_BYTES = 32

/** The text that is signed, with its last line feed. */
export function chainNote({ origin, seq, hash, epoch, at }: ChainNote): string {
  const head = Buffer.from(hash, 'hex').toString('base64')
  return `keyferry chain v1\n${origin}\n${seq}\n${head}\n${epoch} ${at}\n`
}

/** What a note says, if this key signed it.
 * @param vkey a verifier key, as C2SP writes it
 * @throws CryptoError bad_note: not a note of a chain, not signed by this key, or not a verifier key */
export function openChainNote(note: string, vkey: string): ChainNote {
  const text = openNote(note, vkey)
  if (text === null) throw new CryptoError('bad_note', 'the note is not signed by this key')
  const [, origin, seq, head, epoch, at] =
    /^keyferry chain v1\n([^\n]+)\n(\d{1,15})\n([^\n]+)\n(\d{1,15}) ([^\n ]+)\n$/.exec(text) ?? []
  if (origin === undefined || seq === undefined || head === undefined || at === undefined) throw notAChain()
  const hash = decodeBase64(head)
  if (hash.length !== HASH_BYTES) throw notAChain()
  return { origin, seq: Number(seq), hash: Buffer.from(hash).toString('hex'), epoch: Number(epoch), at }
}

/** The entry and the epoch that a note names. Nothing says who wrote the note; null for another text. */
export function namedBy(note: string): Pick<ChainNote, 'seq' | 'epoch'> | null {
  const [, seq, epoch] = /^keyferry chain v1\n[^\n]+\n(\d{1,15})\n[^\n]+\n(\d{1,15}) /.exec(note) ?? []
  return seq === undefined || epoch === undefined ? null : { seq: Number(seq), epoch: Number(epoch) }
}

const notAChain = () => new CryptoError('bad_note', 'not a note of an audit log')
