import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type DepositContent,
  depositBinding,
  depositKeyFits,
  depositKeyId,
  depositUserCode,
  signDepositKey,
} from './deposit.ts'
import { unwrapDepositKey, wrapDepositKey } from './deposit-key.ts'
import { frame } from './frame.ts'
import { generateKeyPair } from './key-pair.ts'
import { createReceiptSeed, receiptKeyOf } from './receipt.ts'
import { generateRootKey, RootKeyRing } from './root-key.ts'

const publicKey = new Uint8Array(32).fill(7)
const content: DepositContent = {
  kid: '1a2b3c4d5e6f7081',
  publicKey,
  pollChallenge: 'A'.repeat(43),
  bundle: 'dev/app',
  workspace: null,
  entries: [
    { name: 'A', isSecret: null },
    { name: 'B', isSecret: true },
  ],
  detach: [],
  own: [],
  share: [],
  replace: [],
}

const others: [string, Partial<DepositContent>][] = [
  ['another key', { kid: '0000000000000000' }],
  ['another client', { publicKey: new Uint8Array(32).fill(8) }],
  ['another challenge', { pollChallenge: 'B'.repeat(43) }],
  ['another bundle', { bundle: 'prod/app' }],
  ['a workspace', { workspace: 'team' }],
  ['another name', { entries: [{ name: 'A2', isSecret: null }, ...content.entries.slice(1)] }],
  ['another order', { entries: content.entries.toReversed() }],
  ['another mark', { entries: [{ name: 'A', isSecret: false }, ...content.entries.slice(1)] }],
  ['fewer names', { entries: content.entries.slice(0, 1) }],
  ['a removed name', { detach: ['A'] }],
  ['an own value', { own: ['A'] }],
  ['a shared value', { share: ['A'] }],
  ['a replaced value', { replace: ['A'] }],
  ['all replaced', { replace: 'all' }],
]

test.each(others)('%s gives another binding', (_what, change) => {
  expect(depositBinding({ ...content, ...change })).not.toBe(depositBinding(content))
})

const digest = (...parts: (string | Uint8Array)[]) => hash('sha256', frame(...parts), 'hex')

// Clients of other makers build it from docs/deposits.md.
test('the binding is of the parts that the documents name', () => {
  const { kid, pollChallenge, bundle } = content
  const first = [kid, publicKey, pollChallenge, bundle]
  const entries = ['A', '', 'B', 'secret']
  expect(depositBinding(content)).toBe(
    digest('keyferry deposit v1', ...first, '', '', '', '', '', ...entries),
  )
  const full = { ...content, workspace: 'team', detach: ['D', 'E'], own: ['O'], share: ['S'] }
  const choices = ['team', 'D,E', 'O', 'S']
  expect(depositBinding({ ...full, replace: 'all' })).toBe(
    digest('keyferry deposit v1', ...first, ...choices, '*', ...entries),
  )
  const also = [{ bundle: 'qa/app', entries: [{ name: 'C', isSecret: false }] }]
  expect(depositBinding({ ...full, replace: ['R', 'T'], also })).toBe(
    digest('keyferry deposit v2', ...first, ...choices, 'R,T', '2', ...entries, 'qa/app', '1', 'C', 'public'),
  )
})

test('a key that is called all is not every key', () => {
  const one = depositBinding({ ...content, replace: ['all'] })
  expect(one).not.toBe(depositBinding({ ...content, replace: 'all' }))
})

test('the check code covers the request, the client, the content and the box', () => {
  const facts = { publicKey, binding: depositBinding(content), box: new Uint8Array(60) }
  const codes = [
    depositUserCode('a', facts),
    depositUserCode('b', facts),
    depositUserCode('a', { ...facts, publicKey: new Uint8Array(32).fill(8) }),
    depositUserCode('a', { ...facts, binding: '0'.repeat(64) }),
    depositUserCode('a', { ...facts, box: new Uint8Array(60).fill(1) }),
  ]
  expect(new Set(codes).size).toBe(5)
})

test('a wrapped key comes back under its root key alone', () => {
  const [root, other] = [generateRootKey(), generateRootKey()]
  const pair = generateKeyPair()
  const wrapped = wrapDepositKey(pair, root)
  expect(unwrapDepositKey(wrapped, new RootKeyRing([other, root])).publicKey).toEqual(pair.publicKey)
  const strange = () => unwrapDepositKey(wrapped, new RootKeyRing([other]))
  expect(strange).toThrow(expect.objectContaining({ code: 'wrong_key' }))
})

test('only the receipt key that signed a deposit key vouches for it', () => {
  const [signer, stranger] = [receiptKeyOf(createReceiptSeed()), receiptKeyOf(createReceiptSeed())]
  const signature = signDepositKey(publicKey, signer)
  expect(depositKeyFits(publicKey, { publicKey: signer.publicKey, signature })).toBe(true)
  expect(depositKeyFits(publicKey, { publicKey: stranger.publicKey, signature })).toBe(false)
  const changed = new Uint8Array(32).fill(9)
  expect(depositKeyFits(changed, { publicKey: signer.publicKey, signature })).toBe(false)
  expect(depositKeyId(changed)).not.toBe(depositKeyId(publicKey))
  expect(depositKeyId(changed)).toBe(digest('keyferry deposit kid v1', changed).slice(0, 16))
})
