import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OidcWorld } from '../../../test/oidc-world.ts'
import { sendJson } from '../../../test/recording-api.ts'
import { TestBrowser } from '../../../test/test-browser.ts'

let world: OidcWorld

beforeEach(async () => {
  world = await OidcWorld.start()
})

afterEach(async () => {
  await world.close()
})

async function restart(options: Parameters<typeof OidcWorld.start>[0]): Promise<void> {
  await world.close()
  world = await OidcWorld.start(options)
}

async function expectRefused(answer: Response): Promise<void> {
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toContain('text/html')
  expect(world.sessionToken).toBe('')
  expect(world.ensured).toEqual([])
}

describe('a sign-in that is not what it claims gives no session', () => {
  test('another state', async () => {
    const callback = new URL(await world.callbackOf('sam'))
    callback.searchParams.set('state', 'f'.repeat(64))
    await expectRefused(await world.browser.request(callback.href))
  })

  test('a state with another last letter, and part of one', async () => {
    const callback = new URL(await world.callbackOf('sam'))
    const state = callback.searchParams.get('state') ?? ''
    for (const other of [state.slice(0, -1) + (state.endsWith('0') ? '1' : '0'), state.slice(0, 32)]) {
      callback.searchParams.set('state', other)
      await expectRefused(await world.browser.request(callback.href))
      callback.href = await world.callbackOf('sam')
    }
  })

  test('no state at all, or two', async () => {
    const callback = new URL(await world.callbackOf('sam'))
    const twice = `${callback.href}&state=${callback.searchParams.get('state')}`
    callback.searchParams.delete('state')
    await expectRefused(await world.browser.request(callback.href))
    await expectRefused(await world.browser.request(twice))
  })

  test('another nonce', async () => {
    const callback = await world.callbackOf('sam', '/sign-in', (url) =>
      url.replace(/nonce=\w+/, 'nonce=another'),
    )
    await expectRefused(await world.browser.request(callback))
  })

  test('another code challenge', async () => {
    const callback = await world.callbackOf('sam', '/sign-in', (url) =>
      url.replace(/code_challenge=[\w-]+/, `code_challenge=${'A'.repeat(43)}`),
    )
    await expectRefused(await world.browser.request(callback))
  })

  test('another code', async () => {
    const callback = new URL(await world.callbackOf('sam'))
    callback.searchParams.set('code', 'another')
    await expectRefused(await world.browser.request(callback.href))
  })

  test('another issuer', async () => {
    const callback = new URL(await world.callbackOf('sam'))
    callback.searchParams.set('iss', 'https://attacker.example')
    await expectRefused(await world.browser.request(callback.href))
  })

  test('an expired code', async () => {
    await restart({ authorizationCodeSeconds: 1 })
    const callback = await world.callbackOf('sam')
    await sleep(2_100)
    await expectRefused(await world.browser.request(callback))
  })

  test("a callback in another person's browser", async () => {
    const callback = await world.callbackOf('sam')
    const victim = new TestBrowser()
    const answer = await victim.request(callback)
    expect([answer.status, victim.cookies(world.web.address).size]).toEqual([400, 0])
    const page = await answer.text()
    expect(page).toContain('Sign-in failed')
    expect(page).toMatch(/<a\b[^>]* href="\/sign-in"[^>]*>\s*Sign in again\s*<\/a>/)
  })

  test('a code that was redeemed before', async () => {
    const callback = await world.callbackOf('sam')
    const attempt = [...world.browser.cookies(world.web.address)]
    expect((await world.browser.request(callback)).status).toBe(302)
    const session = world.sessionToken
    const back = await world.browser.request(callback)
    expect([back.status, back.headers.get('location')]).toEqual([302, '/'])
    expect([world.sessionToken, world.ensured.length]).toEqual([session, 1])
    const replayer = new TestBrowser()
    for (const [name, value] of attempt) replayer.setCookie(world.web.address, name, value)
    expect((await replayer.request(callback)).status).toBe(400)
    expect(replayer.cookies(world.web.address).get('__session')).toBeUndefined()
  })

  test('the provider says no', async () => {
    const begun = await world.browser.open(`${world.web.address}/sign-in`, {
      stopBefore: (url) => url.startsWith(world.provider.issuer),
    })
    const state = new URL(begun.url).searchParams.get('state')
    await expectRefused(
      await world.browser.request(`${world.web.address}/auth/callback?error=access_denied&state=${state}`),
    )
  })

  test.each([
    ['no e-mail', {}],
    ['an e-mail that is not theirs for sure', { email: 'sam@example.com', email_verified: false }],
    ['one of which a provider says so in text', { email: 'sam@example.com', email_verified: 'false' }],
  ])('a person with %s', async (_what, claims) => {
    await restart({ claimsOf: () => claims })
    await expectRefused(await world.signIn())
  })
})

test.each([
  ['whose account is disabled', 'forbidden', 'Forbidden: user is inactive', 'Your account here is disabled.'],
  ['who has no invitation', 'sign_up_closed', 'Ask for an invitation', 'Ask for an invitation.'],
])('a person %s sees a page that says so', async (_, code, error, shown) => {
  world.api.ensure = (response) => sendJson(response, 403, { error, code })
  const answer = await world.signIn()
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(shown)])
  expect(world.sessionToken).toBe('')
})
