import type { ChainNote } from '@keyferry/crypto/chain-note'
import type { ExportedChain } from '@keyferry/crypto/exported-chain'
import { printable } from '../base/printable.ts'

/** A note that fits the export: it anchors the entries up to its own. */
export type Anchor = { readonly note: ChainNote; readonly where: string }

/** A range of entries; `anchor` is null where they are only self-consistent. */
export type Range = { readonly from: number; readonly to: number; readonly anchor: Anchor | null }

type Findings = {
  readonly chain: ExportedChain
  readonly ranges: readonly Range[]
  readonly remarks: readonly string[]
}

/** What was found, for a person. */
export function asText({ chain: { first, last, erased, next }, ranges, remarks }: Findings): string {
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

/** What was found, as one JSON object. */
export function asJson({ chain: { first, last, erased, next }, ranges, remarks }: Findings): string {
  const shown = ranges.map(({ from, to, anchor }) => ({
    from,
    to,
    state: anchor === null ? 'self-consistent' : 'anchored',
    ...(anchor === null ? {} : { note: anchor.where, signed_at: anchor.note.at, log: anchor.note.origin }),
  }))
  return `${JSON.stringify({ first, last, without_origin: erased, next_from_seq: next, ranges: shown, remarks })}\n`
}
