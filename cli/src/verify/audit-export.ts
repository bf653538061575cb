import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ChainNote, openChainNote } from '@keyferry/crypto/chain-note'
import { BrokenExport, checkExport, type ExportedChain } from '@keyferry/crypto/exported-chain'
import { openNote } from '@keyferry/crypto/signed-note'
import { type CliError, EXIT, generalError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'

/** `file`, `noteFile`: paths; `key`: a verifier key, as C2SP writes it. */
export type VerifyOptions = {
  readonly file: string
  readonly key: string | null
  readonly noteFile: string | null
  readonly isJson: boolean
}

/** Check an export and write what was found to standard output.
 * @returns 0 · @throws CliError when the export or a note is wrong */
export async function verifyExport(
  { file, key, noteFile, isJson }: VerifyOptions,
  { stdout, cwd }: Parts,
): Promise<number> {
  const chain = await readChain(resolve(cwd, file), file)
  const saved = noteFile === null ? [] : [await readNote(resolve(cwd, noteFile), noteFile)]
  const { anchors, remarks } = key === null ? UNCHECKED : checkNotes(chain, saved, key)
  const findings = { chain, ranges: rangesOf(chain, anchors), remarks: [...remarksOn(chain), ...remarks] }
  stdout.write(isJson ? asJson(findings) : asText(findings))
  return EXIT.ok
}

const UNCHECKED = { anchors: [], remarks: ['Add --key to check the note of the export.'] }

async function readChain(path: string, shown: string): Promise<ExportedChain> {
  try {
    return await checkExport(createReadStream(path, 'utf8'))
  } catch (error) {
    if (!(error instanceof BrokenExport)) throw unreadable(shown, error)
    throw generalError(
      `${printable(shown, 200)}: ${error.message}`,
      'Export the log again, and compare the two files.',
    )
  }
}

// The last line says that the export was asked for up to this entry.
function remarksOn({ beyond, next, last }: ExportedChain): string[] {
  if (beyond === null || next !== null) return []
  return [`The export ends at entry ${last}, as requested. The log goes on: its note signs entry ${beyond}.`]
}

type SavedNote = { readonly text: string; readonly where: string }

async function readNote(path: string, shown: string): Promise<SavedNote> {
  try {
    return { text: await readFile(path, 'utf8'), where: printable(shown, 200) }
  } catch (error) {
    throw unreadable(shown, error)
  }
}

// Notes of the export may be newer than its last entry only where it says that it is a part of the log, which the check
// of its lines requires. A note that was given has to fit.
function checkNotes(chain: ExportedChain, saved: readonly SavedNote[], key: string) {
  const anchors: Anchor[] = []
  const remarks: string[] = []
  const own = chain.notes.map((text) => ({ text, where: 'the export' }))
  if (own.length === 0 && chain.last >= chain.first)
    throw generalError('the export has no note', 'Export the log again.')
  for (const { text, where } of [...own, ...saved]) {
    const note = opened(text, where, key)
    const { seq, at } = note
    requireOneLog(note, where, anchors)
    const judgement = chain.judge(note)
    if (judgement.kind === 'differs')
      throw generalError(
        `the entries up to ${seq} are not those that the server signed on ${printable(at, 40)} (note in ${where})`,
        'The log was rewritten after that note, or another server has the same name and key.',
      )
    if (judgement.kind === 'fits') anchors.push({ note, where })
    if (judgement.kind === 'lost') {
      remarks.push(
        `The note in ${where} is of entry ${seq}, which was lost by the restore of ${judgement.at}.`,
      )
    }
    if (judgement.kind === 'outside' && where !== 'the export') throw outside(note, where, chain)
  }
  if (chain.ends.some((end) => openNote(end, key) === null))
    throw generalError('the server did not sign the end of the export', 'Export the log again.')
  return { anchors, remarks }
}

function opened(text: string, where: string, key: string): ChainNote {
  try {
    return openChainNote(text, key)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw generalError(
      `the note in ${where} is not valid: ${problem}`,
      'Check that --key is the key of the server that wrote the log.',
    )
  }
}

function requireOneLog(note: ChainNote, where: string, [first]: readonly Anchor[]): void {
  if (first === undefined || first.note.origin === note.origin) return
  throw generalError(
    `the note in ${where} is of another log, ${printable(note.origin, 200)}`,
    'Use a note of the same workspace.',
  )
}

function outside({ seq }: ChainNote, where: string, { first, last }: ExportedChain): CliError {
  if (seq > last) {
    return generalError(
      `the note in ${where} signs entry ${seq}, but the export ends at entry ${last}`,
      `If you exported the whole log, entries after ${last} were removed from it.`,
    )
  }
  return generalError(
    `the note in ${where} signs entry ${seq}, before the first of the export, ${first}`,
    'Export the log from there.',
  )
}

function rangesOf({ first, last }: ExportedChain, anchors: readonly Anchor[]): ExportRange[] {
  const ranges: ExportRange[] = []
  let from = first
  for (const anchor of anchors.toSorted((a, b) => a.note.seq - b.note.seq)) {
    if (anchor.note.seq < from) continue
    ranges.push({ from, to: anchor.note.seq, anchor })
    from = anchor.note.seq + 1
  }
  return from > last ? ranges : [...ranges, { from, to: last, anchor: null }]
}

function unreadable(path: string, cause: unknown): CliError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return generalError(`cannot read ${printable(path, 200)}${code}`, 'Check the name of the file.')
}

/** A note that fits the export: it anchors the entries up to its own. */
type Anchor = { readonly note: ChainNote; readonly where: string }

/** A range of entries; `anchor` is null where they are only self-consistent. */
type ExportRange = { readonly from: number; readonly to: number; readonly anchor: Anchor | null }

type Findings = {
  readonly chain: ExportedChain
  readonly ranges: readonly ExportRange[]
  readonly remarks: readonly string[]
}

function asText({ chain: { first, last, erased, next }, ranges, remarks }: Findings): string {
  const lines = [
    last < first ? 'The export has no entries.' : `Entries ${first} to ${last} fit each other.`,
    ...(erased === 0 ? [] : [`Without origin, because it was erased: ${erased}.`]),
    ...ranges.map(({ from, to, anchor }) =>
      anchor === null
        ? `${entries(from, to)} only self-consistent.`
        : `${entries(from, to)} anchored by the note in ${anchor.where}, signed on ${printable(anchor.note.at, 40)}.`,
    ),
    ...(next === null ? [] : [`The log goes on at entry ${next}, in the next export.`]),
    ...remarks,
  ]
  return `${lines.join('\n')}\n`
}

function entries(from: number, to: number): string {
  return from === to ? `Entry ${from} is` : `Entries ${from} to ${to} are`
}

function asJson({ chain: { first, last, erased, next }, ranges, remarks }: Findings): string {
  const shown = ranges.map(({ from, to, anchor }) => ({
    from,
    to,
    state: anchor === null ? 'self-consistent' : 'anchored',
    ...(anchor === null ? {} : { note: anchor.where, signed_at: anchor.note.at, log: anchor.note.origin }),
  }))
  return `${JSON.stringify({ first, last, without_origin: erased, next_from_seq: next, ranges: shown, remarks })}\n`
}
