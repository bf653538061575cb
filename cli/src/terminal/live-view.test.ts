import { expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { liveView } from './live-view.ts'
import type { ShownRequest } from './waiting-view.ts'

const ASKED: ShownRequest = {
  server: 'https://keyferry.example.com',
  bundle: 'dev/app',
  workspace: 'Acme',
  keys: [],
  command: 'true',
  approvalUrl: 'https://keyferry.example.com/approve/7f9c2ba4e88f827d616045507605853e',
  shownUrl: 'https://keyferry.example.com/a/f5wrpOiPgn1hYEVQdgWFPg',
  userCode: 'WDJB-MJHT',
  isCodeTyped: false,
  lifetimeMs: 300_000,
  whyNotOpened: null,
  deadlineMs: 300_000,
  whyNotRemembered: null,
  hidesQrCode: false,
}

/** What a terminal shows of a request, and then of its approval. */
function shown(changes: Partial<ShownRequest> = {}): { asked: string; approved: string } {
  const plain = stage({ TERM: 'xterm', LANG: 'C.UTF-8' }, '/')
  const stderr = { ...plain.stderr, isTerminal: true, rows: () => 60 }
  const view = liveView({ ...plain, stderr })
  view.requested({ ...ASKED, ...changes })
  const asked = plain.seen.stderr
  const text = '1 value from dev/app in workspace "Acme", approved by sam'
  view.finished({ event: { event: 'delivered' }, text, notes: [] })
  view.end()
  return { asked, approved: plain.seen.stderr.slice(asked.length) }
}

test('one line replaces the panel after the approval', () => {
  const { approved } = shown()
  expect(approved).toMatch(
    /^\r\x1b\[2K\x1b\[\d+A\r\x1b\[J\x1b\[1m✓\x1b\[0m 1 value from dev\/app in workspace "Acme", approved by sam\n$/,
  )
})

test('a QR code shows the link, unless it is hidden', () => {
  expect(shown().asked).toMatch(/[▀▄█]/)
  expect(shown({ hidesQrCode: true }).asked).not.toMatch(/[▀▄█]/)
})

test('only a page that surely shows the check code must show it', () => {
  const elsewhere = { whyNotOpened: '--no-open was given' }
  expect(shown(elsewhere).asked).toContain(
    `Open the link in a browser; its page must show ${ASKED.userCode}.`,
  )
  expect(shown().asked).toMatch(/Approve there\.\n.*On another device, its page must show [A-Z-]+\./)
})

test('a code that has to be typed is named as one', () => {
  const elsewhere = { whyNotOpened: '--no-open was given', isCodeTyped: true }
  expect(shown(elsewhere).asked).toMatch(/or\s+ask\s+you\s+to\s+type\s+it\./)
  expect(shown({ isCodeTyped: true }).asked).toMatch(/or\s+ask\s+you\s+to\s+type\s+it\./)
})
