import { describe, expect, test } from 'vitest'
import type { CliError } from '../src/base/cli-error.ts'
import type { Parts } from '../src/base/parts.ts'
import { deliveredOutcome } from '../src/delivery/outcome.ts'
import { storedOutcome } from '../src/deposit/store-with-approval.ts'
import { bundleTable } from '../src/names/bundle-table.ts'
import { askForCode } from '../src/release/release-socket.ts'
import { bundleNamed } from '../src/server/bundles.ts'
import { ended } from '../src/server/request-end.ts'
import { showFailure } from '../src/terminal/failure.ts'
import { liveView } from '../src/terminal/live-view.ts'
import { terminalStyle } from '../src/terminal/terminal-style.ts'
import { codeNeeded, otherNeeded, type ShownRequest } from '../src/terminal/waiting-view.ts'
import { stage } from './stage.ts'

const WEB: ShownRequest = {
  server: 'https://keyferry.acme.example',
  bundle: 'dev/web',
  workspace: null,
  keys: [],
  command: 'npm run dev',
  agent: null,
  reason: null,
  approvalUrl: 'https://keyferry.acme.example/approve/ed0936997f5af8b7e1f519cf0b5a1a3e',
  shownUrl: 'https://keyferry.acme.example/a/7Qk2mX9rT4vB1nZc8YpL0w',
  userCode: 'ZMXZ-MPNR',
  lifetimeMs: 300_000,
  deadlineMs: 300_000,
  whyNotOpened: null,
  whyNotRemembered: null,
  hidesQrCode: true,
}
const PROD = { ...WEB, bundle: 'prod/web', command: 'npm run migrate' }
const NOW_MS = 7_000

type Scene = (parts: Parts) => void | Promise<void>

const asks =
  (request: ShownRequest): Scene =>
  (parts) =>
    liveView(parts).requested(request)

function delivered(bundle: string, approvers: readonly string[], expired: readonly string[]) {
  const named = { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: bundle }
  const delivery = {
    bundle: named,
    workspace: null,
    missingRequired: [],
    expired,
    versions: [],
    taskUntil: null,
    receipt: null,
  }
  const facts = { ciphertextBase64: '', deliveryId: null, ...delivery }
  const receipt = { approvers, releasedBy: null } as unknown as Parameters<
    typeof deliveredOutcome
  >[0]['receipt']
  const names = Array.from({ length: 31 }, (_, at) => `NAME_${at}`)
  return deliveredOutcome({ names, delivery: facts, receipt }, { bundle, keys: [], acceptsAnyBundle: false })
}

const after =
  (
    request: ShownRequest,
    bundle: string,
    approvers: readonly string[],
    expired: readonly string[] = [],
  ): Scene =>
  (parts) => {
    const view = liveView(parts)
    view.requested(request)
    view.finished(delivered(bundle, approvers, expired))
    view.end()
  }

const waits =
  (request: ShownRequest, who: 'second' | 'owner', count: number | null): Scene =>
  (parts) => {
    const view = liveView(parts)
    view.requested(request)
    view.say(otherNeeded({ who, count, deadlineMs: NOW_MS + 1_798_000 }, NOW_MS))
  }

const denied: Scene = (parts) => {
  const view = liveView(parts)
  view.requested(PROD)
  view.dropped()
  view.end()
  const answer = {
    status: 404,
    body: '{"code":"request_denied"}',
    retryAfterMs: null,
    dateMs: null,
    location: null,
  }
  showFailure(ended(answer), parts)
}

const wrongName: Scene = (parts) => {
  try {
    bundleNamed([{ id: '1', name: 'dev/web', keyCount: 33, marks: null, ...BY_NAME }], 'dev/wbe')
  } catch (error) {
    showFailure(error as CliError, parts)
  }
}

const withoutBrowser: Scene = async (parts) => {
  const view = liveView(parts)
  view.requested({ ...WEB, userCode: 'BHQP-JFHD', whyNotOpened: 'this is an SSH session' })
  view.say(codeNeeded(null))
  await askForCode(parts, { release: async () => null, view }, new AbortController().signal)
}

const STORES = { ...WEB, kind: 'deposit', bundle: 'prod/mail', keys: ['SMTP_PASSWORD'], command: '' } as const

const stored: Scene = (parts) => {
  const view = liveView(parts)
  view.requested(STORES)
  const variables = [{ name: 'SMTP_PASSWORD', action: 'update' }]
  const workspace = { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: 'Acme' }
  view.finished(
    storedOutcome({
      bundle: 'prod/mail',
      workspace,
      approvers: ['sam'],
      variables,
      also: [],
    } as unknown as Parameters<typeof storedOutcome>[0]),
  )
  view.end()
}

const BY_NAME = { tags: '', production: 'by_name' } as const

const looks: Scene = ({ stderr, env, platform }) => {
  const nowMs = Date.parse('2026-11-27T12:00:00Z')
  const bundle = (name: string, keyCount: number, minutes: number, marks = { expired: 0, due: 0 }) => ({
    id: name,
    name,
    keyCount,
    marks,
    ...BY_NAME,
    lastAtMs: nowMs - minutes * 60_000,
  })
  const bundles = [
    bundle('dev/web', 33, 12),
    bundle('staging/web', 31, 130),
    bundle('prod/web', 31, 200, { expired: 1, due: 0 }),
    bundle('dev/worker', 9, 70),
    bundle('prod/worker', 9, 6, { expired: 0, due: 1 }),
    { ...bundle('dev/mail', 4, 0), lastAtMs: null },
    bundle('ci/npm', 1, 180, { expired: 0, due: 1 }),
  ]
  const style = terminalStyle(stderr, env, platform)
  for (const line of bundleTable(bundles, { style, columns: stderr.columns(), nowMs }))
    stderr.write(`${line}\n`)
}

const SCENES: Readonly<Record<string, Scene>> = {
  'Run, the page opened here': asks(WEB),
  '… approved: the panel becomes one line': after(WEB, 'dev/web', ['sam']),
  'Run for production': asks(PROD),
  '… the first of two': waits(PROD, 'second', null),
  '… done': after(PROD, 'prod/web', ['sam', 'kim'], ['AWS_SECRET_ACCESS_KEY']),
  'A member waits for owners': waits({ ...PROD, bundle: 'prod/api' }, 'owner', 2),
  'Denied: the panel goes, one line and a next step stay': denied,
  'A wrong name never reaches a person': wrongName,
  'No browser here (SSH, a container)': withoutBrowser,
  'Store a value': asks(STORES),
  '… stored': stored,
  'An agent': asks({ ...WEB, command: 'npm test', agent: 'claude-code', reason: 'run the tests' }),
  Look: looks,
  'Staging, asked again': asks({
    ...WEB,
    bundle: 'staging/web',
    keys: ['DATABASE_URL'],
    whyNotRemembered: 'the remembered approval has expired',
  }),
}

const STYLES: Readonly<Record<string, Record<string, string>>> = {
  colour: { TERM: 'xterm' },
  'no-colour': { TERM: 'xterm', NO_COLOR: '1' },
  dumb: { TERM: 'dumb' },
}

async function play(scene: Scene, columns: number, env: Record<string, string>): Promise<string> {
  const plain = stage({ LANG: 'C.UTF-8', ...env }, '/')
  const clock = { ...plain.clock, monotonicMs: () => NOW_MS }
  const stderr = { ...plain.stderr, isTerminal: true, columns: () => columns, rows: () => 50 }
  const keyboard = {
    ...plain.keyboard,
    askUntil: async (question: string) => {
      stderr.write(question)
      return null
    },
  }
  await scene({ ...plain, clock, stderr, keyboard })
  return onScreen(plain.seen.stderr)
}

/** What a terminal shows after these writes. Colours stay, as `␛[…m`. */
function onScreen(written: string): string {
  let lines = ['']
  for (const piece of written.split(/(\n|\r\x1b\[2K|\x1b\[\d+A\r\x1b\[J)/)) {
    const up = /^\x1b\[(\d+)A/.exec(piece)?.[1]
    if (piece === '\n') lines.push('')
    else if (piece === '\r\x1b[2K') lines[lines.length - 1] = ''
    else if (up !== undefined) lines = [...lines.slice(0, -1 - Number(up)), '']
    else lines[lines.length - 1] += piece
  }
  return lines.join('\n').replaceAll('\x1b', '␛').trimEnd()
}

describe.each([60, 80, 120])('at %i columns', (columns) => {
  test.each(Object.entries(STYLES))('%s', async (name, env) => {
    const shown: string[] = []
    for (const [title, scene] of Object.entries(SCENES))
      shown.push(`# ${title}\n${await play(scene, columns, env)}\n`)
    const text = shown.join('\n')
    await expect(text).toMatchFileSnapshot(`scenes/${columns}-${name}.txt`)
    // What ended a request is a sentence, which the terminal wraps.
    const panels = shown.filter((each) => !/\n(?:␛\[[\d;]*m)?[✓✗]/.test(each)).join('\n')
    for (const line of panels.split('\n'))
      expect(line.replaceAll(/␛\[[\d;]*m/g, '').length).toBeLessThanOrEqual(columns)
  })

  test('without colours nothing is lost but colours', async () => {
    for (const scene of Object.values(SCENES)) {
      const [coloured = '', plain] = await Promise.all(
        ['colour', 'no-colour'].map((name) => play(scene, columns, STYLES[name] ?? {})),
      )
      expect(coloured.replaceAll(/␛\[[\d;]*m/g, '')).toBe(plain)
    }
  })
})

test('a QR code shows the link where another device opens it, unless it is hidden', async () => {
  const elsewhere = { ...WEB, whyNotOpened: '--no-open was given' }
  expect(await play(asks({ ...elsewhere, hidesQrCode: false }), 80, { TERM: 'xterm' })).toMatch(/[▀▄█]/)
  expect(await play(asks(elsewhere), 80, { TERM: 'xterm' })).not.toMatch(/[▀▄█]/)
})

test('a locale without UTF-8 gets ASCII only', async () => {
  for (const scene of Object.values(SCENES))
    expect(await play(scene, 80, { LANG: 'C', TERM: 'xterm' })).toMatch(/^[\n -~␛]*$/)
})

test('the countdown goes on after a sentence, and stops at a question', () => {
  const parts = stage({ TERM: 'xterm' }, '/')
  const running = new Set<() => void>()
  const every = (_ms: number, tick: () => void) => {
    running.add(tick)
    return () => void running.delete(tick)
  }
  const view = liveView({ ...parts, clock: { ...parts.clock, every } })
  view.requested(WEB)
  view.say(codeNeeded('keyferry release'))
  expect(running.size).toBe(1)
  view.say(codeNeeded(null))
  expect(running.size).toBe(0)
})
