import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportedLog, KEY } from './exported-log.ts'
import { playSession } from './session.ts'

const created = { action: 'key.created' }
const plain = exportedLog([created, created, created, created])
const restored = exportedLog([
  created,
  created,
  { action: 'audit.restored', data: { epoch: 2, epoch_before: 1, seq: 2 } },
  created,
])
const whole = [...plain.lines, plain.ending()]
/** The first three entries with an end that says so, signed by nobody. */
function forgedEnd(): string[] {
  const end = plain.ending(3, 1, { last: 3 })
  const signature = end.lastIndexOf('—')
  return [
    ...plain.lines.slice(0, 3),
    end.slice(0, signature) + end.slice(signature).replace(/.{8}\\n"/, 'AAAAAAA=\\n"'),
  ]
}

const otherKey = KEY.replace('keyferry', 'other')

describe.concurrent('keyferry audit verify', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyferry-audit-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Run the client on an export and, where there is one, a note; there is no server. */
  async function verify(flags: string, { lines, note = '' }: { lines: readonly string[]; note?: string }) {
    const stage = await mkdtemp(join(folder, 'stage-'))
    await writeFile(join(stage, 'audit.jsonl'), lines.map((line) => `${line}\n`).join(''))
    await writeFile(join(stage, 'note'), note)
    const command = `cd ..; keyferry audit verify audit.jsonl ${flags}`
    const session = { about: '', server: '', command, exit: 0, stdout: '', stderr: '' }
    const { exit, stdout, stderr } = await playSession(session, { url: 'http://127.0.0.1:1', folder: stage })
    return { exit, stdout, stderr }
  }

  test('without a key, the log is only self-consistent', async () => {
    expect(await verify('', { lines: whole })).toEqual({
      exit: 0,
      stdout:
        'Entries 1 to 4 fit each other.\nEntries 1 to 4 are only self-consistent.\nAdd --key to check the note of the export.\n',
      stderr: '',
    })
  })

  test('with a key, the note of the export anchors the entries up to its own', async () => {
    const lines = [...plain.lines, plain.ending(3)]
    const { exit, stdout } = await verify(`--key '${KEY}'`, { lines })
    expect(exit).toBe(0)
    expect(stdout).toContain(
      'Entries 1 to 3 are anchored by the note in the export, signed on 2026-01-31T12:01:03.000Z.',
    )
    expect(stdout).toContain('Entry 4 is only self-consistent.')
  })

  test('a saved note anchors its range, and --json has the same', async () => {
    const { exit, stdout } = await verify(`--key '${KEY}' --note note --json`, {
      lines: whole,
      note: plain.note(2),
    })
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      first: 1,
      last: 4,
      without_origin: 0,
      ranges: [
        { from: 1, to: 2, state: 'anchored', note: 'note' },
        { from: 3, to: 4, state: 'anchored', note: 'the export' },
      ],
      remarks: [],
    })
  })

  test('an export of a part says that the log goes on', async () => {
    const part = plain.ending(4, 1, { last: 3, to_seq: 3 })
    const { exit, stdout } = await verify(`--key '${KEY}'`, { lines: [...plain.lines.slice(0, 3), part] })
    expect(exit).toBe(0)
    expect(stdout).toContain(
      'The export ends at entry 3, as requested. The log goes on: its note signs entry 4.',
    )
  })

  test('a note of before a restore says what the restore lost', async () => {
    const lines = [...restored.lines, restored.ending(4, 2)]
    const note = restored.note(4, { hash: '11'.repeat(32) })
    const { exit, stdout } = await verify(`--key '${KEY}' --note note`, { lines, note })
    expect(exit).toBe(0)
    expect(stdout).toContain(
      'The note in note is of entry 4, which was lost by the restore of 2026-01-31T12:00:02.000Z.',
    )
  })

  const origins = whole.map((line) => line.replace(/,"origin":.*\}$/, '}'))
  const erased = [...origins.slice(0, 2), ...whole.slice(2)]

  test('erased origins are counted', async () => {
    expect((await verify('', { lines: erased })).stdout).toContain(
      'Without origin, because it was erased: 2.',
    )
  })

  const key = `--key '${KEY}'`
  const noted = `${key} --note note`
  test.each([
    [
      'a changed entry',
      '',
      whole.with(1, whole[1]?.replace('created', 'deleted') ?? ''),
      '',
      /line 2: entry 2 .*\n {2}Export the log again, and compare the two files\./,
    ],
    [
      'a changed origin',
      '',
      whole.with(2, whole[2]?.replace('192.0', '192.1') ?? ''),
      '',
      /line 3: the origin/,
    ],
    ['a removed entry', '', whole.toSpliced(2, 1), '', /line 3: entry 3 is missing/],
    [
      'a cut export',
      '',
      whole.toSpliced(3, 1),
      '',
      /line 4: it is not the end of entries 1 to 3: something was removed or changed/,
    ],
    ['a missing note', '', plain.lines, '', /line 5: the note at the end is missing/],
    [
      'an export without a note',
      key,
      [...plain.lines, plain.ending(4, 1, { note: null })],
      '',
      /the export has no note\n {2}Export the log again\./,
    ],
    [
      'a cut export that says it was asked for so',
      '',
      [...plain.lines.slice(0, 3), whole[4]?.replace(',"end"', ',"to_seq":3,"end"') ?? ''],
      '',
      /line 4: it is not the end/,
    ],
    [
      'a note that was removed',
      '',
      whole.with(4, whole[4]?.replace(/"note":"[^"]*"/, '"note":null') ?? ''),
      '',
      /line 5: it is not the end/,
    ],
    ['half of the last line', '', whole.with(4, whole[4]?.slice(0, -40) ?? ''), '', /line 5: not a line/],
    [
      'an end without a signature',
      '',
      whole.with(4, JSON.stringify({ note: plain.note(4) })),
      '',
      /line 5: neither an entry nor a signed end/,
    ],
    [
      'an end that nobody signed',
      key,
      forgedEnd(),
      '',
      /did not sign the end of the export\n {2}Export the log again\./,
    ],
    [
      'another key',
      `--key '${otherKey}'`,
      whole,
      '',
      /note in the export is not valid: not a verifier key.*\n {2}Check that --key is the key of the server that wrote the log\./,
    ],
    [
      'a note of another log',
      noted,
      whole,
      plain.note(2, { tenant: 't2' }),
      /of another log, keyferry.example.com\/audit\/t2\n {2}Use a note of the same workspace\./,
    ],
    [
      'a rewritten log',
      noted,
      whole,
      plain.note(2, { hash: '11'.repeat(32) }),
      /entries up to 2 are not those .*\n {2}The log was rewritten after that note, or another server has the same name and key\./,
    ],
    [
      'a cut tail',
      noted,
      [...plain.lines.slice(0, 3), plain.ending(3, 1, { last: 3 })],
      plain.note(4),
      /ends at entry 3\n {2}If you exported the whole log, entries after 3 were removed from it\./,
    ],
    ['a note that nobody signed', noted, whole, 'keyferry chain v1\n', /note in note is not valid/],
  ])('finds %s: 1', async (_, flags, lines, note, problem) => {
    const { exit, stdout, stderr } = await verify(flags, { lines, note })
    expect(stderr).toMatch(problem)
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
  })

  test.each([
    ['--note note', /--note needs --key\n {2}Give the key too: keyferry-server audit-key shows it\./, 2],
    ['--key x', /not a verifier key/, 1],
    ['--key x --note missing', /cannot read missing \(ENOENT\)\n {2}Check the name of the file\./, 1],
  ])('with %s it says what is wrong', async (flags, problem, code) => {
    const { exit, stderr } = await verify(flags, { lines: whole })
    expect(stderr).toMatch(problem)
    expect(exit).toBe(code)
  })
})
