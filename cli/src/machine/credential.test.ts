import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, stage } from '../../test/stage.ts'
import { type ExchangeRequest, NetworkError } from '../base/exchange.ts'
import { findCredential } from './credential.ts'

const exchange = async () => {
  throw new NetworkError('ETIMEDOUT', 'late')
}

test('when the platform gives no ID token, the error names the platform, not the server', async () => {
  const env = {
    KEYFERRY_MACHINE: 'm',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'https://tokens.example.com/id?v=1',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't',
  }
  const credential = findCredential(null, 'https://keyferry.example.com', { ...stage(env, '/'), exchange })
  await expect(credential?.forKey(new Uint8Array(32))).rejects.toThrow(
    'no answer from https://tokens.example.com: late',
  )
})

const SERVER = 'https://keyferry.example.com'
const TOKEN = 'kfm_Zu4Af1hEPvrr1Jl52fl5mhoAyP15JXuDKcjxKCLWMM00B0UBJ'
const JOB = { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://tokens.example.com/id?v=1', KEYFERRY_MACHINE: 'm' }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-credential-'))
  writeFileSync(join(folder, 'token'), ` ${TOKEN}\n`)
  writeFileSync(join(folder, 'empty'), '\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

const inFolder = (env: Record<string, string>) =>
  Object.fromEntries(Object.entries(env).map(([name, text]) => [name, text.replace('FOLDER', folder)]))

test.each([
  ['a token', null, { KEYFERRY_TOKEN: ` ${TOKEN} ` }, 'token …0UBJ', null, TOKEN],
  ['a token in a file', null, { KEYFERRY_TOKEN_FILE: 'FOLDER/token' }, 'token …0UBJ', null, TOKEN],
  [
    'a token rather than its file',
    null,
    { KEYFERRY_TOKEN: TOKEN, KEYFERRY_TOKEN_FILE: '/x' },
    'token …0UBJ',
    null,
    TOKEN,
  ],
  ['a token rather than an ID token', null, { ...JOB, KEYFERRY_TOKEN: TOKEN }, 'token …0UBJ', null, TOKEN],
  ['an ID token', null, { KEYFERRY_MACHINE: 'm', KEYFERRY_ID_TOKEN: 'x' }, 'ID token', 'm', 'x'],
  ['an ID token of a job', null, { ...JOB, KEYFERRY_ID_TOKEN: 'x' }, 'GitHub Actions @', 'm', 'x'],
  [
    'an ID token in a file',
    null,
    { KEYFERRY_MACHINE: 'm', KEYFERRY_ID_TOKEN_FILE: 'FOLDER/token' },
    'ID token',
    'm',
    TOKEN,
  ],
] as const)('%s is used as the credential of a machine', async (_, as, env, proof, machineId, given) => {
  const found = findCredential(as, SERVER, { ...stage(inFolder(env), '/'), exchange })
  expect(found).toMatchObject({ proof, machineId })
  expect(await found?.forKey(new Uint8Array(32))).toBe(given)
})

test.each([
  ['nothing is set', null, {}],
  ['only an ID token is set', null, { KEYFERRY_ID_TOKEN: 'x' }],
  ['a token is empty', null, { KEYFERRY_TOKEN: '' }],
  ['the file of a token is empty', null, { KEYFERRY_TOKEN_FILE: 'FOLDER/empty' }],
  ['a person asks', 'person', { KEYFERRY_TOKEN: TOKEN }],
] as const)('no machine credential is used if %s', (_, as, env) => {
  expect(findCredential(as, SERVER, { ...stage(inFolder(env), '/'), exchange })).toBeNull()
})

test.each([
  ['machine', {}, 'no machine credential is set'],
  [null, { KEYFERRY_MACHINE: 'm' }, 'KEYFERRY_MACHINE is set, but no ID token is'],
  [null, JOB, 'KEYFERRY_MACHINE is set, but no ID token is'],
  [null, { KEYFERRY_TOKEN: 'x' }, 'KEYFERRY_TOKEN is not a machine token'],
  [null, { KEYFERRY_TOKEN_FILE: '/no/such' }, 'KEYFERRY_TOKEN_FILE cannot be read: ENOENT'],
] as const)('with --as %s, the environment %j is refused: %s', (as, env, message) => {
  expect(() => findCredential(as, SERVER, { ...stage(env, '/'), exchange })).toThrow(message)
})

test('the ID token of GitHub is bound to the key of the call', async () => {
  const asked: ExchangeRequest[] = []
  const answering = (status: number, body: string) => async (request: ExchangeRequest) => {
    asked.push(request)
    return answered(body, status)
  }
  const tokenOf = async (status: number, body: string) => {
    const env = { ...JOB, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't' }
    const parts = { ...stage(env, '/'), exchange: answering(status, body) }
    return await findCredential(null, SERVER, parts)?.forKey(new Uint8Array(32))
  }
  expect(await tokenOf(200, '{"value":"id"}')).toBe('id')
  expect(asked[0]).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer t' }, timeoutMs: 20_000 })
  const url = new URL(asked[0]?.url ?? '')
  expect([url.origin, url.searchParams.get('v')]).toEqual(['https://tokens.example.com', '1'])
  expect(url.searchParams.get('audience')).toMatch(new RegExp(`^${SERVER}/key/[\\w-]+$`))
  await expect(tokenOf(403, '{"value":"id"}')).rejects.toThrow('GitHub gave no ID token (status 403)')
  await expect(tokenOf(200, '{}')).rejects.toThrow('GitHub gave no ID token (status 200)')
})
