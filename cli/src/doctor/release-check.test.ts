import { generateKeyPairSync, hash, randomBytes } from 'node:crypto'
import { minisignPublicKey, signMinisign } from '@keyferry/crypto/minisign'
import { expect, test } from 'vitest'
import { answered, stage } from '../../test/stage.ts'
import type { ExchangeRequest } from '../base/exchange.ts'
import { checkRelease, isNewer, type OwnClient, ownSum } from './release-check.ts'

const key = { id: randomBytes(8), signer: generateKeyPairSync('ed25519').privateKey }
const PROGRAM = hash('sha256', 'a program')
const LIST = `${PROGRAM}  executables/keyferry-linux-x64\n${hash('sha256', 'another')}  keyferry-1.2.3.tgz\n`
const NOW = Date.parse('2030-06-01T00:00:00Z')
const OWN: OwnClient = { publisherKey: minisignPublicKey(key), version: '1.2.3', ownSum: () => PROGRAM }

type Offer = { list?: string; comment?: string; signature?: string; status?: number }

function check({ own = OWN, ...offer }: Offer & { own?: OwnClient } = {}) {
  const { list = LIST, comment = 'keyferry 1.2.3 expires 2030-06-01', status = 200 } = offer
  const signature = offer.signature ?? signMinisign(Buffer.from(LIST), key, comment)
  const parts = stage({}, '/')
  const exchange = async ({ url }: ExchangeRequest) =>
    answered(url.endsWith('/client/SHA256SUMS') ? list : signature, status)
  return checkRelease(
    'https://keyferry.example',
    { exchange, clock: { ...parts.clock, epochMs: () => NOW } },
    own,
  )
}

test('a signed list and the program in it are good', async () => {
  expect(await check()).toEqual([
    { about: 'signature', state: 'good', what: 'Keyferry 1.2.3, valid until 2030-06-01', fix: null },
    {
      about: 'this program',
      state: 'good',
      what: 'executables/keyferry-linux-x64, SHA-256 as in the list',
      fix: null,
    },
  ])
})

test.each<[string, Offer & { own?: OwnClient }, string, string]>([
  [
    'swapped sums',
    { list: LIST.replace(PROGRAM, hash('sha256', 'x')) },
    'did not sign this list',
    'Do not install a client from here.',
  ],
  ['no signature', { signature: '' }, 'did not sign this list', 'Do not install a client from here.'],
  [
    'a server without a list',
    { status: 404 },
    'this server has no signed list of the client’s files',
    'Its operator can install a signed release.',
  ],
  [
    'an expired list',
    { comment: 'keyferry 1.2.3 expires 2030-05-31' },
    'the signed list of Keyferry 1.2.3 expired on 2030-05-31',
    'The operator of the server has to install a newer release.',
  ],
  [
    'an older version',
    { comment: 'keyferry 1.2.2 expires 2030-06-01' },
    '1.2.2, older than this client (1.2.3)',
    'The operator of the server has to install a newer release.',
  ],
  [
    'a flipped byte of this program',
    { own: { ...OWN, ownSum: () => 'f' } },
    'this program is not in the signed list',
    'Install it again, and find out who changed it.',
  ],
])('%s is refused with a fix', async (_, offer, complaint, next) => {
  await expect(check(offer)).rejects.toMatchObject({
    exitCode: 6,
    message: expect.stringContaining(complaint),
    next,
  })
})

test('a client that knows no publisher says that it cannot check', async () => {
  await expect(check({ own: { ...OWN, publisherKey: null } })).rejects.toMatchObject({ exitCode: 1 })
})

test('the Node.js package, and a program of another version, are not compared', async () => {
  // This test runs on Node.js.
  expect((await check({ own: { ...OWN, ownSum } }))[1]).toEqual({
    about: 'this program',
    state: 'doubtful',
    what: 'not compared',
    fix: 'It is the Node.js package; compare its file: docs/rebuild.md.',
  })
  const older = await check({ own: { ...OWN, version: '1.2.0' } })
  expect(older.map(({ about, state }) => [about, state])).toEqual([
    ['signature', 'good'],
    ['this program', 'doubtful'],
    ['update', 'doubtful'],
  ])
  expect(older.slice(1).map(({ fix }) => fix)).toEqual([
    'It is Keyferry 1.2.0, and the list is of 1.2.3.',
    'Run: curl -fsS https://keyferry.example/install.sh | sh',
  ])
})

test.each([
  ['1.10.0', '1.9.9', true],
  ['1.2.3', '1.2.3', false],
  ['1.2.3-rc.1', '1.2.3', false],
  ['2.0.0', '1.9.9', true],
  ['1.2.2', '1.2.3', false],
])('%s is newer than %s: %s', (version, than, expected) => {
  expect(isNewer(version, than)).toBe(expected)
})
