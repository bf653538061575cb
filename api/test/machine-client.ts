import { randomUUID } from 'node:crypto'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { expect } from 'vitest'
import type { Identity, TestApi } from './api.ts'

export type TestMachine = { id: string; name: string; token: string; tokenId: string }

export type TestBundle = {
  id: string
  name: string
  keyIds: Record<string, string>
  values: Record<string, string>
}

/** A machine with a token. */
export async function newMachine(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  tokenDraft: object = {},
): Promise<TestMachine> {
  const name = `m-${randomUUID()}`
  const machine = await api.call('createMachine', { as, body: { name } })
  const params = { machine_id: machine.json.id }
  const made = await api.call('createMachineToken', { as, params, body: tokenDraft })
  expect(made.status).toBe(201)
  return { id: machine.json.id, name, token: made.json.token, tokenId: made.json.id }
}

/** A bundle with these variables. */
export async function newBundle(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  values: Record<string, string>,
): Promise<TestBundle> {
  const name = `b-${randomUUID()}`
  const entries = Object.entries(values).map(([variable, value]) => ({ name: variable, value }))
  const imported = await api.call('importVariables', { as, body: { bundle: name, entries } })
  expect(imported.status).toBe(200)
  const [bundle] = (await api.call('listBundles', { as, query: { query: name } })).json
  const keys = await api.call('listBundleKeys', { as, params: { bundle_id: bundle?.id ?? '' } })
  const keyIds = Object.fromEntries(keys.json.map((key) => [key.name, key.id]))
  return { id: bundle?.id ?? '', name, keyIds, values }
}

export async function grant(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  {
    machine,
    bundle,
    scope = 'deliver',
  }: { machine: TestMachine; bundle: Pick<TestBundle, 'id'>; scope?: string },
): Promise<void> {
  const params = { machine_id: machine.id, bundle_id: bundle.id }
  expect((await api.call('grantBundle', { as, params, body: { scope } })).status).toBe(200)
}

/** One delivery, with a fresh key pair. */
export async function fetchValues(
  api: Pick<TestApi, 'call'>,
  { token, ...wish }: { token: string; bundle_id: string } & Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  const keyPair = generateKeyPair()
  const client_pubkey = Buffer.from(keyPair.publicKey).toString('base64')
  const answer = await api.call('createDelivery', {
    body: { client_pubkey, ...wish },
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  if (answer.status !== 200) return { answer, values: null, marks: null }
  const { ciphertext_base64, marks_base64 } = answer.json
  const opened = (box: string) =>
    JSON.parse(new TextDecoder().decode(open(Buffer.from(box, 'base64'), keyPair)))
  const values: Record<string, string> = opened(ciphertext_base64)
  return { answer, values, marks: opened(marks_base64) as unknown }
}

/** The events of a workspace with one action, newest first. */
export async function eventsOf(api: Pick<TestApi, 'call'>, as: Identity, action: string) {
  return (await api.call('listAudit', { as, query: { action } })).json
}
