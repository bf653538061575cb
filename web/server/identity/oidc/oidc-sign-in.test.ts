import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OidcWorld } from '../../../test/oidc-world.ts'
import { PERSON } from '../../../test/recording-api.ts'
import { TestBrowser } from '../../../test/test-browser.ts'

let world: OidcWorld

beforeEach(async () => {
  world = await OidcWorld.start()
})

afterEach(async () => {
  await world.close()
})

describe('sign-in', () => {
  test('a signed-out visitor is sent to sign-in, and a call is refused', async () => {
    const refused = await world.listKeys()
    expect([refused.status, await refused.json()]).toEqual([
      401,
      { error: 'Unauthorized', code: 'unauthorized' },
    ])
    const page = await world.browser.request(`${world.web.address}/approve/7f9c`)
    expect([page.status, page.headers.get('location')]).toEqual([200, null])
    expect(await page.text()).toContain('href="/sign-in?return_to=%2Fapprove%2F7f9c"')
    expect(await (await world.browser.request(`${world.web.address}/session`)).json()).toMatchObject({
      signed_in: false,
    })
  })

  test('leads through the provider and back to where the person was', async () => {
    const back = await world.signIn('sam', '/sign-in?return_to=/approve/7f9c')
    expect([back.status, back.headers.get('location')]).toEqual([302, '/approve/7f9c'])
    expect((await world.listKeys()).status).toBe(200)
    expect(world.api.forwarded.at(-1)?.headers['x-user-id']).toBe(PERSON.user_id)
    expect(await (await world.browser.request(`${world.web.address}/session`)).json()).toMatchObject({
      signed_in: true,
    })
  })

  test('can be repeated while signed in, and the API then learns when the person proved who they are', async () => {
    await world.close()
    world = await OidcWorld.start({ saysSignIn: true })
    await world.signIn('sam')
    const again = '/sign-in?again=1&return_to=/account'
    const asked = new URL((await world.get(again)).headers.get('location') ?? '').searchParams
    expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '0'])
    const signedIn = async () => {
      await world.listKeys()
      return Number(world.api.forwarded.at(-1)?.headers['x-signed-in-at'])
    }
    const before = await signedIn()
    expect(before).toBe(Math.floor(world.nowMs / 1_000))
    world.nowMs += 3_000
    expect(await signedIn()).toBe(before)
    expect((await world.signIn('sam', again)).headers.get('location')).toBe('/account')
    // The provider states it on its own clock.
    expect(Math.abs((await signedIn()) - Date.now() / 1_000)).toBeLessThan(30)
  })

  test('tells which invitation a person follows', async () => {
    await world.signIn('sam', '/sign-in?return_to=/invite/AbC-1_')
    expect(JSON.parse(String(world.ensured[0]?.body))).toMatchObject({ invitation: 'AbC-1_' })
  })

  test('provisions the person by issuer and subject, with the e-mail', async () => {
    await world.signIn('sam')
    const profile: unknown = JSON.parse(String(world.ensured[0]?.body))
    expect(profile).toEqual({
      idp_user_id: expect.stringMatching(/^user_[0-9a-f]{64}$/),
      email: 'sam@example.com',
      email_verified: true,
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
  })

  test.each([
    ['says that it is', { email_verified: true }, false, true],
    ['says so in text', { email_verified: 'True' }, false, true],
    ['says so as a number', { email_verified: 1 }, false, true],
    ['does not say', {}, false, false],
    ['does not say, and OIDC_TRUST_EMAIL is on', {}, true, true],
  ])(
    'an e-mail is verified only when the provider vouches for it: it %s',
    async (_what, claims, trustsEmail, expected) => {
      await world.close()
      world = await OidcWorld.start({
        claimsOf: () => ({ email: 'sam@example.com', ...claims }),
        trustsEmail,
      })
      await world.signIn()
      expect(JSON.parse(String(world.ensured[0]?.body))).toMatchObject({ email_verified: expected })
    },
  )

  test('takes over an e-mail address that has changed since the last time', async () => {
    await world.signIn('user_2aXf')
    const change = world.api.forwarded.find(({ method }) => method === 'PUT')
    expect(change?.path).toBe('/api/v1/users/user_2aXf')
    expect(JSON.parse(String(change?.body))).toEqual({
      email: 'user_2aXf@example.com',
      email_verified: true,
      as_of: expect.any(String),
    })
  })

  test('tells the groups of the claim; one that is absent, too long or unreadable says nothing and warns', async () => {
    await world.close()
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
    const many = Array.from({ length: 501 }, (_, index) => `group ${index}`)
    const named = [{ name: 'sre', id: '1' }, { id: '2' }, 'dev']
    const claims = [['sre', 'dev'], [], 'sre', named, undefined, 7, ['sre', 1], ['x'.repeat(256)], many]
    const claimed = { groups: undefined as unknown }
    const claimsOf = () => ({ email: 'sam@example.com', email_verified: true, ...claimed })
    world = await OidcWorld.start({ claimsOf, groupsClaim: 'groups', log })
    const sent = []
    for (const groups of claims) {
      claimed.groups = groups
      world.browser = new TestBrowser()
      await world.signIn('user_2aXf')
      const change = world.api.forwarded.findLast(({ method }) => method === 'PUT')
      sent.push(JSON.parse(String(change?.body)).groups)
    }
    const read = [['sre', 'dev'], [], ['sre'], ['sre', '2', 'dev']]
    expect(sent).toEqual([...read, ...Array.from({ length: 5 }, () => undefined)])
    const warnings = lines.map((line) => JSON.parse(line))
    expect(warnings.map(({ claim, found }) => [claim, found])).toEqual(
      ['absent', 'number', 'list of 2: string, number', 'list of 1: string', 'list of 501: string'].map(
        (found) => ['groups', found],
      ),
    )
  })

  test('a subject of the right form is the id', async () => {
    await world.signIn('user_2aXf')
    expect(JSON.parse(String(world.ensured[0]?.body))).toMatchObject({ idp_user_id: 'user_2aXf' })
  })

  test('sets a cookie that no script and no other site can read', async () => {
    const cookie = (await world.signIn()).headers.getSetCookie().find((line) => line.startsWith('__session='))
    expect(cookie).toMatch(/^__session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/)
  })

  test.each([
    '//attacker.example',
    'https://attacker.example',
    '/\\attacker.example',
    'javascript:alert(1)',
    '/sign-in',
  ])('returns to our addresses only: %s', async (returnTo) => {
    const back = await world.signIn('sam', `/sign-in?return_to=${encodeURIComponent(returnTo)}`)
    expect(back.headers.get('location')).toBe('/')
  })

  test('asks for code, PKCE, state and nonce', async () => {
    const begun = await world.browser.request(`${world.web.address}/sign-in`)
    const asked = Object.fromEntries(new URL(begun.headers.get('location') ?? '').searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^\w{64}$/),
      nonce: expect.stringMatching(/^\w{64}$/),
    })
  })

  test('accepts a trailing slash in the issuer', async () => {
    await world.close()
    world = await OidcWorld.start({ withSlash: true })
    expect((await world.signIn()).status).toBe(302)
    await world.logOutAtProvider()
    await expect.poll(async () => (await world.listKeys()).status).toBe(401)
  })

  test('two windows can sign in at the same time', async () => {
    const first = await world.callbackOf('sam', '/sign-in?return_to=/keys')
    const second = await world.callbackOf('sam', '/sign-in?return_to=/bundles')
    expect((await world.browser.request(first)).headers.get('location')).toBe('/keys')
    expect((await world.browser.request(second)).headers.get('location')).toBe('/bundles')
  })

  test('a browser has the five newest sign-ins that it began', async () => {
    const callbacks: string[] = []
    for (let n = 0; n < 7; n++) callbacks.push(await world.callbackOf('sam', `/sign-in?return_to=/keys/${n}`))
    const names = [...world.browser.cookies(world.web.address).keys()]
    expect(names.filter((name) => name.startsWith('keyferry-sign-in-'))).toHaveLength(5)
    const places: (string | null)[] = []
    for (const callback of callbacks)
      places.push((await world.browser.request(callback)).headers.get('location'))
    expect(places).toEqual([null, null, ...[2, 3, 4, 5, 6].map((n) => `/keys/${n}`)])
  })

  test('a new sign-in ends the session that the browser carried', async () => {
    await world.signIn('sam')
    const before = world.sessionToken
    world.sessionToken = before
    const callback = await callbackOfSignedIn()
    expect((await world.browser.request(callback)).status).toBe(302)
    world.sessionToken = before
    expect((await world.listKeys()).status).toBe(401)
  })
})

/** A sign-in begun while signed out and finished with a session at hand. */
async function callbackOfSignedIn(): Promise<string> {
  const carried = world.sessionToken
  world.sessionToken = ''
  const callback = await world.callbackOf('sam')
  world.sessionToken = carried
  return callback
}

test('a call is signed for the workspace that it names', async () => {
  await world.signIn()
  const team = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
  const headers = { 'keyferry-workspace': team }
  await world.browser.request(`${world.web.address}/api/v1/keys`, { headers })
  expect(world.api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(team)
})
