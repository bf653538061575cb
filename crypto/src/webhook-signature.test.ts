import { expect, test } from 'vitest'
import { makeWebhookSecret, webhookSignatures } from './webhook-signature.ts'

// The example of the Standard Webhooks specification.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('a message is signed as the convention says', () => {
  expect(webhookSignatures(MESSAGE, [SECRET])).toBe(SIGNATURE)
})

test('each secret gives a signature', () => {
  const signatures = webhookSignatures(MESSAGE, [makeWebhookSecret(), SECRET]).split(' ')
  expect([signatures.length, signatures[1]]).toEqual([2, SIGNATURE])
})
