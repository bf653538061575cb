import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KEYS, RECEIPT_KEYS } from '../../test/receipts.ts'
import { type Stage, stage } from '../../test/stage.ts'
import type { Parts } from '../base/parts.ts'
import { keyOf, pinnedKeys } from './pinned-keys.ts'

const SERVER = 'https://keyferry.example.com'

let folder: string
let calls: number
let parts: Parts

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-pins-'))
  calls = 0
  const plain: Stage = stage({ XDG_STATE_HOME: folder }, '/')
  parts = {
    ...plain,
    exchange: async () => {
      calls += 1
      const body = JSON.stringify(RECEIPT_KEYS)
      return { status: 200, body, retryAfterMs: null, dateMs: null, location: null }
    },
  }
})

afterEach(() => rmSync(folder, { recursive: true }))

test('the first key is trusted, and not fetched again', async () => {
  expect(await keyOf(SERVER, KEYS.first.kid, parts)).toEqual(Buffer.from(KEYS.first.publicKey))
  expect(await keyOf(SERVER, KEYS.first.kid, parts)).toEqual(Buffer.from(KEYS.first.publicKey))
  expect(calls).toBe(1)
  expect(pinnedKeys(SERVER, parts).map(({ kid }) => kid)).toEqual([KEYS.first.kid])
})

test('a later key is trusted only if the known one signed it', async () => {
  await keyOf(SERVER, KEYS.first.kid, parts)
  expect(await keyOf(SERVER, KEYS.second.kid, parts)).toEqual(Buffer.from(KEYS.second.publicKey))
  await expect(keyOf(SERVER, KEYS.foreign.kid, parts)).rejects.toThrow('signs with another key than before')
  expect(pinnedKeys(SERVER, parts)).toHaveLength(2)
})

test('a key that the server does not have is refused', async () => {
  await expect(keyOf(SERVER, '0000000000000000', parts)).rejects.toThrow('signs with another key')
})

test('a server on this machine may be set up again', async () => {
  const server = 'http://127.0.0.1:5393'
  await keyOf(server, KEYS.first.kid, parts)
  expect(await keyOf(server, KEYS.foreign.kid, parts)).toEqual(Buffer.from(KEYS.foreign.publicKey))
})

test('a server on this machine whose user cannot be looked up keeps its key, or the person confirms the new one', async () => {
  const server = 'http://127.0.0.1:5393'
  const questions: string[] = []
  const answering = (answer: string): Parts => ({
    ...parts,
    platform: 'darwin',
    stderr: { ...parts.stderr, isTerminal: true },
    keyboard: {
      ...parts.keyboard,
      isThere: () => true,
      ask: (question) => {
        questions.push(question)
        return answer
      },
    },
  })
  await keyOf(server, KEYS.first.kid, answering('n'))
  expect(questions).toEqual([])
  await expect(keyOf(server, KEYS.foreign.kid, answering('n'))).rejects.toThrow('another key than before')
  await expect(keyOf(server, KEYS.foreign.kid, { ...parts, platform: 'darwin' })).rejects.toThrow(
    'another key',
  )
  expect(pinnedKeys(server, parts)).toHaveLength(1)
  await keyOf(server, KEYS.foreign.kid, answering('y'))
  expect(questions).toEqual(Array(2).fill('Did you set up your server again? [y/N] '))
  expect(pinnedKeys(server, parts)).toHaveLength(2)
})

test('each server has its own keys', async () => {
  await keyOf(SERVER, KEYS.first.kid, parts)
  expect(pinnedKeys('https://other.example.com', parts)).toEqual([])
})
