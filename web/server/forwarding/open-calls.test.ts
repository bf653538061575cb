import { EventEmitter } from 'node:events'
import type { FastifyReply } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { OpenCalls } from './open-calls.ts'

let calls: OpenCalls
beforeEach(() => {
  calls = new OpenCalls()
})

const replying = (facts: { writableFinished?: boolean; destroyed?: boolean } = {}) =>
  ({
    raw: Object.assign(new EventEmitter(), { writableFinished: false, destroyed: false, ...facts }),
  }) as never

const close = (reply: FastifyReply) => reply.raw.emit('close')

test('a call ends when its caller disconnects before the answer', () => {
  const [gone, answered] = [replying(), replying({ writableFinished: true })]
  const signals = [calls.begin(gone, false), calls.begin(answered, false)]
  close(gone)
  close(answered)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
})

test('a call ends at once if its caller has already disconnected', () => {
  expect(calls.begin(replying({ destroyed: true }), false).aborted).toBe(true)
})

test('at shutdown, long polls end first, new ones end at once, and all other calls end last', () => {
  const [wait, call] = [calls.begin(replying(), true), calls.begin(replying(), false)]
  expect(calls.areEnded).toBe(false)
  calls.endWaits()
  expect([calls.areEnded, wait.aborted, call.aborted]).toEqual([true, true, false])
  expect([calls.begin(replying(), true).aborted, calls.begin(replying(), false).aborted]).toEqual([
    true,
    false,
  ])
  calls.endAll()
  expect(call.aborted).toBe(true)
})

test('an answered call is not ended at shutdown', () => {
  const reply = replying({ writableFinished: true })
  const [wait, call] = [calls.begin(reply, true), calls.begin(reply, false)]
  close(reply)
  calls.endWaits()
  calls.endAll()
  expect([wait.aborted, call.aborted]).toEqual([false, false])
})
