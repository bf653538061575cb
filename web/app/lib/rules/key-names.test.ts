import { expect, test } from 'vitest'
import { looksSecret } from './key-names.ts'

test.each([
  'DATABASE_URL',
  'REDIS_URL',
  'STRIPE_SECRET_KEY',
  'NPM_TOKEN',
  'DB_PASSWORD',
  'smtp_pass',
  'SENTRY_DSN',
  'AWS_ACCESS_KEY_ID',
  'SOMETHING',
  'SLACK_ALERTS_URL',
  'API_URL',
])('%s looks secret', (name) => {
  expect(looksSecret(name, 'x')).toBe(true)
})

test.each(['PORT', 'HOST', 'NODE_ENV', 'LOG_LEVEL', 'PUBLIC_URL', 'AWS_REGION', 'TZ', 'APP_NAME'])(
  '%s does not',
  (name) => {
    expect(looksSecret(name, 'x')).toBe(false)
  },
)

test('a password inside an address gives it away', () => {
  expect(looksSecret('PUBLIC_URL', 'https://user:pw@api.example')).toBe(true)
  expect(looksSecret('PUBLIC_URL', 'https://api.example')).toBe(false)
})
