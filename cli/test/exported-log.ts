import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHAIN_START, chainHash, originHash } from '@keyferry/crypto/audit-chain'
import { auditKeyOf } from '@keyferry/crypto/audit-key'
import { chainNote } from '@keyferry/crypto/chain-note'
import { exportEnd, lastLine } from '@keyferry/crypto/export-lines'
import { signNote, verifierKey } from '@keyferry/crypto/signed-note'

const NAME = 'keyferry.example.com/audit'
const key = { ...auditKeyOf(new Uint8Array(32).fill(7)), name: NAME }

/** The key that verifies the notes of these exports. */
export const KEY = verifierKey(key)

const ORIGIN = '{"ip":"192.0.2.1","salt":"s"}'

type Ending = { last?: number; note?: null; to_seq?: number }

/** A log whose entries have these actions, as an audit log of the server is. */
export function exportedLog(events: readonly { action: string; data?: object }[]) {
  const hashes: string[] = []
  const lines = events.map(({ action, data = {} }, index) => {
    const at = `2026-01-31T12:00:0${index}.000Z`
    const body = JSON.stringify({ seq: index + 1, at, action, data, personal: originHash(ORIGIN) })
    hashes.push(chainHash(hashes.at(-1) ?? CHAIN_START, body))
    return `{"hash":"${hashes.at(-1)}","event":${body},"origin":${ORIGIN}}`
  })
  /** A note of entry `seq`, as the server signs it. */
  const note = (seq: number, { epoch = 1, tenant = 't1', hash = hashes[seq - 1] ?? CHAIN_START } = {}) => {
    const text = { origin: `${NAME}/${tenant}`, seq, hash, epoch, at: `2026-01-31T12:01:0${seq}.000Z` }
    return signNote(chainNote(text), key)
  }
  /** The last line of an export of the entries up to `last`. */
  const ending = (seq = events.length, epoch = 1, { last = events.length, ...more }: Ending = {}) => {
    const line = JSON.stringify({ note: note(seq, { epoch }), ...more }).slice(0, -1)
    const text = exportEnd({ first: 1, last, hash: hashes[last - 1] ?? CHAIN_START, line })
    return lastLine(line, signNote(text, key))
  }
  return { lines, note, ending }
}

/** Write the files that the examples of `keyferry audit` name. */
export async function writeExportedLog(folder: string): Promise<void> {
  const { lines, note, ending } = exportedLog(Array.from({ length: 4 }, () => ({ action: 'key.created' })))
  await mkdir(folder, { recursive: true })
  await Promise.all([
    writeFile(join(folder, 'audit.jsonl'), `${[...lines, ending()].join('\n')}\n`),
    writeFile(join(folder, 'audit.key'), `${KEY}\n`),
    writeFile(join(folder, 'audit.note'), note(3)),
  ])
}
