import { expect, test } from 'vitest'
import {
  createDeviceSeed,
  type DeviceRequest,
  deviceSignedForget,
  deviceSignedRequest,
  deviceSignedWatch,
  signDeviceForget,
  signDeviceRequest,
  signDeviceWatch,
} from './device-key.ts'

const TIME = '2026-01-31T12:00:00.000Z'
const seed = createDeviceSeed()

const REQUEST: DeviceRequest = {
  clientPublicKey: new Uint8Array(32).fill(1),
  bundle: 'dev/app',
  workspace: undefined,
  templateKeys: ['PORT', 'HOST'],
  argv: ['npm', 'run', 'dev'],
  argvMasked: undefined,
  cwd: '/home/sam/shop',
  agent: undefined,
  reason: undefined,
  use: { redaction: 'always', flags: ['run'] },
}

test('a signed request is accepted as it was signed', () => {
  expect(deviceSignedRequest(signDeviceRequest(seed, REQUEST, TIME), REQUEST)).toBe(true)
})

test.each<[string, Partial<DeviceRequest>]>([
  ['public key', { clientPublicKey: new Uint8Array(32).fill(2) }],
  ['bundle', { bundle: 'prod/app' }],
  ['workspace', { workspace: 'acme' }],
  ['names', { templateKeys: ['PORTHOST'] }],
  ['argument', { argv: ['npm', 'run dev'] }],
  ['masked argument', { argvMasked: 'x' }],
  ['folder', { cwd: '/home/sam' }],
  ['agent', { agent: 'claude-code' }],
  ['reason', { reason: 'to test' }],
  ['redaction', { use: { redaction: 'never', flags: ['run'] } }],
  ['flag', { use: { redaction: 'always', flags: ['run', '--only'] } }],
  ['version', { use: undefined }],
  ['repository', { use: { redaction: 'always', flags: ['run'], repository: '/home/sam/shop' } }],
])('another %s is refused', (_, change) => {
  const proof = signDeviceRequest(seed, REQUEST, TIME)
  expect(deviceSignedRequest(proof, { ...REQUEST, ...change })).toBe(false)
})

test('a request of the first version is accepted without its reason', () => {
  const older = { ...REQUEST, use: undefined }
  expect(deviceSignedRequest(signDeviceRequest(seed, older, TIME), { ...older, reason: 'x' })).toBe(true)
})

test('another time, nonce or key is refused', () => {
  const proof = signDeviceRequest(seed, REQUEST, TIME)
  const other = signDeviceRequest(createDeviceSeed(), REQUEST, TIME)
  expect(deviceSignedRequest({ ...proof, time: '2026-01-31T12:00:01.000Z' }, REQUEST)).toBe(false)
  expect(deviceSignedRequest({ ...proof, nonce: other.nonce }, REQUEST)).toBe(false)
  expect(deviceSignedRequest({ ...proof, public_key: other.public_key }, REQUEST)).toBe(false)
})

test.each(['', 'AAAA', 'no base64!', Buffer.alloc(32).toString('base64')])(
  'a public key such as %j is refused without an error',
  (public_key) => {
    expect(deviceSignedForget({ ...signDeviceForget(seed, TIME), public_key })).toBe(false)
  },
)

test('the wish to be forgotten is not a request, and a request is not that wish', () => {
  const wish = signDeviceForget(seed, TIME)
  expect(deviceSignedForget(wish)).toBe(true)
  expect(deviceSignedRequest(wish, REQUEST)).toBe(false)
  expect(deviceSignedForget(signDeviceRequest(seed, REQUEST, TIME))).toBe(false)
})

test('a seed that is not 32 bytes is refused', () => {
  expect(() => signDeviceForget(new Uint8Array(31), TIME)).toThrow('device seed is not 32 bytes')
})

test('the wish to learn of changes names one delivery', () => {
  const proof = signDeviceWatch(seed, 'a', TIME)
  expect(deviceSignedWatch(proof, 'a')).toBe(true)
  expect(deviceSignedWatch(proof, 'b')).toBe(false)
  expect(deviceSignedWatch(signDeviceForget(seed, TIME), 'a')).toBe(false)
})
