import { describe, expect, test } from 'vitest'
import vectors from '../../vectors/audit-log.json' with { type: 'json' }
import { CHAIN_START, chainHash, originHash } from './audit-chain.ts'
import { auditKeyOf } from './audit-key.ts'
import { type ChainNote, chainNote, openChainNote } from './chain-note.ts'
import { exportEnd, lastLine } from './export-lines.ts'
import { checkExport, ExportedChain } from './exported-chain.ts'
import { signNote, verifierKey } from './signed-note.ts'

const ORIGIN = '{"ip":"192.0.2.1","user":"a \\"b\\" }","salt":"s"}'

/** The lines of an export whose events have these bodies; `origin` is the origin of each. */
function exportOf(bodies: readonly object[], origin: string | null = ORIGIN, prev = CHAIN_START, first = 1) {
  let hash = prev
  const lines = bodies.map((body, index) => {
    const personal = origin === null ? null : originHash(origin)
    const text = JSON.stringify({ seq: first + index, ...body, personal })
    hash = chainHash(hash, text)
    return `{"hash":"${hash}","event":${text}${origin === null ? '' : `,"origin":${origin}`}}`
  })
  return { lines, hash }
}

const BODIES = [
  { id: 'e1', data: { names: ['A', 'B"{'] } },
  { id: 'e2', data: {} },
  { id: 'größe', data: { as: '\\' } },
]
const begin = (first: number, prev: string) => JSON.stringify({ first_seq: first, first_prev: prev })

/** The lines of one part of an export, and its last line, with an end that nobody signed. */
function ended(lines: readonly string[], members: object = { note: 'signed' }): string[] {
  const entries = lines.filter((line) => line.startsWith('{"hash":'))
  const prev = /"first_prev":"(\w+)"/.exec(lines[0] ?? '')?.[1] ?? CHAIN_START
  const first = Number(/"(?:first_)?seq":(\d+)/.exec(lines[0] ?? '')?.[1] ?? 1)
  const line = JSON.stringify(members).slice(0, -1)
  const hash = entries.at(-1)?.slice('{"hash":"'.length, 73) ?? prev
  const end = exportEnd({ first, last: first + entries.length - 1, hash, line })
  return [...lines, lastLine(line, `${end}\n— o sig\n`)]
}

function check(lines: readonly string[]): ExportedChain {
  const chain = new ExportedChain()
  for (const line of lines) chain.add(line)
  chain.finish()
  return chain
}

describe('an export', () => {
  test('is whole when each line fits the one before it', () => {
    const { lines, hash } = exportOf(BODIES)
    const chain = check(ended(lines))
    expect(chain).toMatchObject({ first: 1, last: 3, erased: 0, notes: ['signed'], next: null })
    expect(chain.hashOf(3)).toBe(hash)
    expect(chain.hashOf(0)).toBe(CHAIN_START)
    expect(chain.hashOf(4)).toBeNull()
  })

  test('has the hashes that others compute', () => {
    const lines = vectors.chain.map(({ line, hash }) => `{"hash":"${hash}","event":${line}}`)
    expect(check(ended(lines))).toMatchObject({ last: 3, erased: 3 })
  })

  test('may begin at a later entry, and go on in another part', () => {
    const prev = 'ab'.repeat(32)
    const one = exportOf(BODIES, null, prev, 8)
    const two = exportOf(BODIES, null, one.hash, 11)
    const parts = [
      ...ended([begin(8, prev), ...one.lines], { note: null, next_from_seq: 11 }),
      ...ended([begin(11, one.hash), ...two.lines]),
    ]
    expect(check(parts)).toMatchObject({ first: 8, last: 13, erased: 0, notes: ['signed'], next: null })
    expect(check(parts.slice(0, 5))).toMatchObject({ last: 10, next: 11 })
    expect(() => check(parts.toSpliced(5, 1, begin(12, one.hash)))).toThrow(
      /line 6: .*does not continue entry 10/,
    )
    expect(() => check(parts.toSpliced(5, 1, begin(11, prev)))).toThrow(/line 6: .*does not continue/)
    expect(() => check(parts.toSpliced(5, 1))).toThrow('line 6: an entry follows the end of the export')
  })

  test('that ends before the entry of its note is a part only if it says so', () => {
    const { lines } = exportOf(BODIES)
    const incomplete = 'line 4: the note signs entry 9, but the export ends at entry 3'
    expect(() => check(ended(lines, noted(9)))).toThrow(incomplete)
    expect(() => check(ended(lines, noted(9, { to_seq: 4 })))).toThrow(incomplete)
    expect(check(ended(lines, noted(9, { to_seq: 3 })))).toMatchObject({ last: 3, beyond: 9 })
    expect(check(ended(lines, noted(9, { next_from_seq: 4 })))).toMatchObject({
      last: 3,
      beyond: 9,
      next: 4,
    })
    expect(check(ended(lines, noted(3)))).toMatchObject({ last: 3, beyond: null })
  })

  test('may come in any pieces, with or without a line feed at the end', async () => {
    const odd = exportOf([...BODIES, { id: '\u2028', data: {} }])
    const text = ended(odd.lines).join('\n')
    expect(await checkExport([text])).toMatchObject({ last: 4, erased: 0 })
    expect(await checkExport(Array.from(`${text}\n`))).toMatchObject({ last: 4 })
    await expect(checkExport([])).rejects.toThrow('line 1: the note at the end is missing')
  })

  const { lines } = exportOf(BODIES)
  const whole = ended(lines)
  const replaced = (line: number, from: string, to: string) =>
    whole.with(line, whole[line]?.replace(from, to) ?? '')

  test.each([
    ['a changed text', replaced(1, '"id":"e2"', '"id":"e9"'), /^line 2: entry 2 does not fit/],
    ['a changed hash', replaced(2, '{"hash":"', '{"hash":"0'), /^line 3: /],
    ['a changed origin', replaced(0, '192.0.2.1', '192.0.2.9'), /^line 1: the origin of entry 1 was changed/],
    ['a removed entry', whole.toSpliced(1, 1), /^line 2: entry 2 is missing/],
    ['swapped entries', [whole[1], whole[0], ...whole.slice(2)], /^line 1: entry 1 is missing/],
    ['more after an origin', replaced(0, '"salt":"s"}', '"salt":"s"},"more":1'), /^line 1: /],
    ['no note at the end', lines, /^line 4: the note at the end is missing/],
    ['two ends', [...whole, ...whole.slice(-1)], /^line 5: a line follows the end/],
    ['another line', ['[]', ...whole], /^line 1: /],
    ['an empty line', [...lines, '', ...whole.slice(-1)], /^line 4: not a line of an export/],
    [
      'an end of other entries',
      [...lines.slice(0, 2), ...whole.slice(-1)],
      /^line 3: it is not the end of entries 1 to 2/,
    ],
    ['an end that says more', replaced(3, ',"end"', ',"to_seq":3,"end"'), /^line 4: it is not the end/],
    [
      'an end without its signature',
      [...lines, '{"note":"signed"}'],
      /^line 4: neither an entry nor a signed end/,
    ],
    ['half a line', [(lines[0] ?? '').slice(0, 90)], /^line 1: /],
    ['a malformed beginning', ['{"first_seq":0,"first_prev":"x"}'], /^line 1: first_seq/],
  ])('%s is named', (_, changed, problem) => {
    expect(() => check(changed.map((line) => line ?? ''))).toThrow(problem)
  })
})

describe('a note of the log', () => {
  const restored = {
    at: '2026-02-01T00:00:00.000Z',
    action: 'audit.restored',
    data: { epoch_before: 1, seq: 2, epoch: 2 },
  }
  const { lines } = exportOf([...BODIES.slice(0, 2), restored])
  const chain = check(ended(lines))
  const note = (seq: number, epoch: number, hash = chain.hashOf(seq)): ChainNote => {
    return { origin: 'o/audit/t', seq, hash: hash ?? '00'.repeat(32), epoch, at: '2026-01-31T12:00:00.000Z' }
  }

  test('fits, differs, is outside, or was lost by a restore', () => {
    expect(chain.judge(note(2, 1))).toEqual({ kind: 'fits' })
    expect(chain.judge(note(3, 2))).toEqual({ kind: 'fits' })
    expect(chain.judge(note(2, 1, '11'.repeat(32)))).toEqual({ kind: 'differs' })
    expect(chain.judge(note(9, 2))).toEqual({ kind: 'outside' })
    expect(chain.judge(note(9, 1))).toEqual({ kind: 'lost', at: restored.at })
  })

  const name = 'keyferry.example.com/audit'
  const key = { ...auditKeyOf(Buffer.from(vectors.seed, 'hex')), name }

  test('opens with its key only', () => {
    const said = note(2, 1)
    const signed = signNote(chainNote(said), key)
    expect(openChainNote(signed, verifierKey(key))).toEqual(said)
    const other = { ...auditKeyOf(new Uint8Array(32)), name }
    expect(() => openChainNote(signed, verifierKey(other))).toThrow('not signed by this key')
    expect(() => openChainNote(signNote('keyferry chain v2\na\n', key), verifierKey(key))).toThrow(
      'not a note of an audit log',
    )
  })
})

function noteOf(seq: number): string {
  return `keyferry chain v1\no/audit/t\n${seq}\nhash\n1 2026-01-31T12:00:00.000Z\n\n— o sig\n`
}

function noted(seq: number, more: object = {}): object {
  return { note: noteOf(seq), ...more }
}
