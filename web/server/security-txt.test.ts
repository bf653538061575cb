import fastify from 'fastify'
import { expect, test } from 'vitest'
import { serveSecurityTxt } from './security-txt.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

async function answered(now: number) {
  const app = fastify()
  const publicUrl = 'https://keyferry.example.com'
  serveSecurityTxt(app, { contact: 'mailto:security@example.com', publicUrl, now: () => now })
  return await app.inject('/.well-known/security.txt')
}

test('it names the contact, where it is, and when it expires, as RFC 9116 says', async () => {
  const { statusCode, headers, body } = await answered(Date.parse('2026-03-01T12:00:00Z'))
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(body).toBe(`Contact: mailto:security@example.com
Expires: 2026-08-28T00:00:00.000Z
Canonical: https://keyferry.example.com/.well-known/security.txt
Preferred-Languages: en
`)
})

test.each(['2026-01-01T00:00:00Z', '2028-02-29T23:59:59Z'])(
  'what is answered at %s has not expired, and expires within a year',
  async (time) => {
    const now = Date.parse(time)
    const expires = Date.parse(/^Expires: (.*)$/m.exec((await answered(now)).body)?.[1] ?? '')
    expect(expires - now).toBeGreaterThan(100 * DAY_MS)
    expect(expires - now).toBeLessThan(365 * DAY_MS)
  },
)
