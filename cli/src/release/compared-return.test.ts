import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { beforeEach, expect, test, vi } from 'vitest'
import { stage } from '../../test/stage.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { PLAN_CHANGED } from '../server/approval-requests.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import type { WaitingView } from '../terminal/waiting-view.ts'
import { type Compare, comparedReturn } from './compared-return.ts'

const STATEMENT: SignedReceipt = { kid: 'k', payload: 'e30=', signature: 's' }

const pending: PendingRequest = {
  server: 'https://keyferry.example.com',
  id: '7f9c2ba4e88f827d616045507605853e',
  keyPair: generateKeyPair(),
  verifier: 'v',
  approvalUrl: 'https://keyferry.example.com/approve/7f9c2ba4e88f827d616045507605853e',
  shownUrl: 'https://keyferry.example.com/a/f5wrpOiPgn1hYEVQdgWFPg',
  userCode: 'WDJB-MJHT',
  intervalMs: 3_000,
  lifetimeMs: 300_000,
  deadlineMs: 300_000,
  remembered: null,
  whyNotRemembered: null,
  mayLeave: false,
  epoch: null,
}

const ignore = (): void => undefined
const view: WaitingView = {
  requested: ignore,
  trouble: ignore,
  recovered: ignore,
  say: ignore,
  finished: ignore,
  dropped: ignore,
  end: ignore,
}

let kept: unknown[]
let answers: ((answer: string | null) => void)[]
let parts: Parts

beforeEach(() => {
  kept = []
  answers = []
  const staged = stage({}, '/')
  parts = {
    ...staged,
    keyboard: {
      ...staged.keyboard,
      askUntil: async (_question, ended) =>
        await new Promise((resolve) => {
          answers.push(resolve)
          ended.addEventListener('abort', () => resolve(null))
        }),
    },
    exchange: async ({ body = '{}' }) => {
      kept.push(JSON.parse(body))
      return { status: 200, body: '{"ok":true}', retryAfterMs: null, dateMs: null, location: null }
    },
  }
})

const asks: Compare = async (_statement, _pending, ask) => {
  const answer = await ask({ event: { event: 'workspace_asked' }, text: 'whose?' }, '? ')
  if (answer !== 'y') throw new Error('not confirmed')
}

function returning(compare: Compare, answer: string | null = null) {
  const release = vi.fn(async (_secret: string) => answer)
  const refused = vi.fn((_error: unknown) => undefined)
  return { release, refused, way: comparedReturn(compare, release, refused) }
}

const now = () => ({ pending, view, parts })
const settle = async () => await new Promise((resolve) => void setImmediate(resolve))

test('a secret that comes before the statement waits for the comparison', async () => {
  const { way, release } = returning(async () => undefined)
  const returned = way.release('secret', now())
  await settle()
  expect(release).not.toHaveBeenCalled()
  await way.arrived(STATEMENT, now())
  expect(await returned).toBeNull()
  expect(release).toHaveBeenCalledExactlyOnceWith('secret')
  expect(kept).toEqual([])
})

test('during a question the server keeps the secret; a yes returns it', async () => {
  const { way, release } = returning(asks)
  const arrived = way.arrived(STATEMENT, now())
  expect(await way.release('secret', now())).toBeNull()
  expect(kept).toEqual([{ secret: 'secret', keep: true }])
  expect(release).not.toHaveBeenCalled()
  answers[0]?.('y')
  await arrived
  await settle()
  expect(release).toHaveBeenCalledExactlyOnceWith('secret')
})

test('a no returns nothing and ends the request', async () => {
  const { way, release, refused } = returning(asks)
  void way.arrived(STATEMENT, now())
  await way.release('secret', now())
  answers[0]?.('n')
  await settle()
  expect(refused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'not confirmed' }))
  expect(release).not.toHaveBeenCalled()
})

test('after a changed plan, the next approval is compared anew', async () => {
  const compare = vi.fn<Compare>(async () => undefined)
  const { way, release } = returning(compare, PLAN_CHANGED)
  await way.arrived(STATEMENT, now())
  expect(await way.release('first', now())).toBe(PLAN_CHANGED)
  void way.release('second', now())
  await settle()
  expect(release).toHaveBeenCalledTimes(1)
  await way.arrived({ ...STATEMENT, signature: 'other' }, now())
  await settle()
  expect(release).toHaveBeenLastCalledWith('second')
  expect(compare).toHaveBeenCalledTimes(2)
})

test('another approval ends the question about the first, without a refusal', async () => {
  const { way, release, refused } = returning(asks)
  void way.arrived(STATEMENT, now())
  void way.arrived({ ...STATEMENT, signature: 'other' }, now())
  await settle()
  expect(answers).toHaveLength(2)
  expect(refused).not.toHaveBeenCalled()
  way.end()
  await settle()
  expect(refused).not.toHaveBeenCalled()
  expect(release).not.toHaveBeenCalled()
})
