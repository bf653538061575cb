import { generateKeyPair, SignJWT } from 'jose'
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

describe('a session', () => {
  test('ends 30 minutes after its last use', async () => {
    await world.signIn()
    world.nowMs += 29 * 60_000
    expect((await world.listKeys()).status).toBe(200)
    world.nowMs += 29 * 60_000
    expect((await world.listKeys()).status).toBe(200)
    world.nowMs += 30 * 60_000
    expect((await world.listKeys()).status).toBe(401)
  })

  test('ends after 7 days however busy it is', async () => {
    await world.signIn()
    const end = world.nowMs + 7 * 24 * 60 * 60_000
    while (world.nowMs + 25 * 60_000 < end) {
      world.nowMs += 25 * 60_000
      if ((await world.listKeys()).status !== 200)
        throw new Error(`ended early, ${end - world.nowMs} ms before its time`)
    }
    world.nowMs = end
    expect((await world.listKeys()).status).toBe(401)
  })

  test('outlives an outage of the provider', async () => {
    await world.signIn()
    await world.provider.close()
    expect((await world.listKeys()).status).toBe(200)
    expect((await new TestBrowser().request(`${world.web.address}/sign-in`)).status).not.toBe(500)
  })

  test('of an unknown, empty or altered token is none', async () => {
    await world.signIn()
    const token = world.sessionToken
    for (const other of ['', 'x', `${token}x`, token.slice(1), token.toUpperCase()]) {
      world.sessionToken = other
      expect((await world.listKeys()).status).toBe(401)
    }
  })

  test('two session cookies in one request are refused', async () => {
    await world.signIn()
    const token = world.sessionToken
    const headers = { cookie: `__session=${token}; __session=planted` }
    expect((await fetch(`${world.web.address}/api/v1/keys`, { headers })).status).toBe(401)
  })

  test('a write needs to come from our own page', async () => {
    await world.signIn()
    const writes: [RequestInit['headers'], number][] = [
      [{}, 403],
      [{ origin: 'https://attacker.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ 'sec-fetch-site': 'cross-site', origin: world.web.address }, 403],
      [{ 'sec-fetch-site': 'same-site', origin: world.web.address }, 403],
      [{ origin: world.web.address }, 200],
    ]
    for (const [headers, status] of writes)
      expect((await world.write('/api/v1/keys', headers ? { headers } : {})).status).toBe(status)
  })

  test('keeps the tenant that the person chose', async () => {
    await world.signIn()
    const team = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
    world.api.answer = (_call, response) =>
      sendJson(response, 200, { tenant_id: team, name: 't', role: 'member' })
    await world.write('/api/v1/tenants/switch')
    await world.listKeys()
    expect(world.api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(team)
  })
})

describe('sign-out', () => {
  test('ends the session here, and leads to the provider to end its own', async () => {
    await world.signIn()
    const token = world.sessionToken
    const answer = await world.write('/sign-out')
    const { redirect_to } = (await answer.json()) as { redirect_to: string }
    expect(redirect_to).toContain(`${world.provider.issuer}/session/end`)
    const asked = new URL(redirect_to).searchParams
    expect(asked.get('post_logout_redirect_uri')).toBe(`${world.web.address}/`)
    expect(asked.get('id_token_hint')).toMatch(/^ey/)
    expect(world.sessionToken).toBe('')
    world.sessionToken = token
    expect((await world.listKeys()).status).toBe(401)
  })

  test('by a form is led on', async () => {
    await world.signIn()
    const headers = { origin: world.web.address, accept: 'text/html' }
    const answer = await world.write('/sign-out', { headers })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toContain(`${world.provider.issuer}/session/end`)
  })

  test('from another origin has no effect', async () => {
    await world.signIn()
    expect((await world.write('/sign-out', { headers: { origin: 'https://attacker.example' } })).status).toBe(
      403,
    )
    expect((await world.listKeys()).status).toBe(200)
  })

  test('everywhere ends every session of the person, seen in the list', async () => {
    await world.signIn()
    const here = world.browser
    world.browser = new TestBrowser()
    await world.signIn()
    const shown = (await (await world.browser.request(`${world.web.address}/auth/sessions`)).json()) as {
      current: boolean
    }[]
    expect(shown.map(({ current }) => current).filter(Boolean)).toEqual([true])
    expect(shown).toHaveLength(2)
    const there = world.browser
    world.browser = new TestBrowser()
    await world.signIn('kim')
    const linked = world.browser
    const ended = world.ensured.map(({ body }) => JSON.parse(body.toString()).idp_user_id)
    world.api.answer = ({ path }, response) =>
      sendJson(response, 200, path.endsWith('/signed-out') ? { ended } : { ok: true })
    world.browser = there
    expect((await world.write('/auth/sessions/end-all')).status).toBe(200)
    for (const browser of [here, there, linked]) {
      world.browser = browser
      expect((await world.listKeys()).status).toBe(401)
    }
  })

  test('without the API, an end of all sessions says that those of linked sign-ins may go on', async () => {
    await world.signIn()
    await world.api.close()
    const ended = await world.write('/auth/sessions/end-all')
    expect(ended.status).toBe(503)
    expect(await ended.text()).toContain('Those of linked sign-ins may go on: sign in and repeat this')
    expect((await world.listKeys()).status).toBe(401)
  })

  test('one session can be ended from another', async () => {
    await world.signIn()
    const here = world.browser
    world.browser = new TestBrowser()
    await world.signIn()
    const shown = (await (await world.browser.request(`${world.web.address}/auth/sessions`)).json()) as {
      id: string
      current: boolean
    }[]
    const other = shown.find(({ current }) => !current)?.id ?? ''
    expect((await world.write(`/auth/sessions/${other}`, { method: 'DELETE' })).status).toBe(200)
    expect((await world.write(`/auth/sessions/${other}`, { method: 'DELETE' })).status).toBe(404)
    expect((await world.listKeys()).status).toBe(200)
    world.browser = here
    expect((await world.listKeys()).status).toBe(401)
  })
})

describe('back-channel logout', () => {
  test('at the provider ends the session here', async () => {
    await world.signIn()
    await world.logOutAtProvider()
    await expect.poll(async () => (await world.listKeys()).status).toBe(401)
  })

  test('by a token that the provider did not sign is refused without effect', async () => {
    await world.signIn()
    const { privateKey } = await generateKeyPair('RS256')
    const forged = await new SignJWT({
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sub: 'sam',
    })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(world.provider.issuer)
      .setAudience(world.provider.clientId)
      .setIssuedAt()
      .setJti('1')
      .sign(privateKey)
    for (const token of [forged, '', 'x.y.z']) {
      const answer = await fetch(`${world.web.address}/auth/backchannel-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      })
      expect(answer.status).toBe(400)
    }
    expect((await world.listKeys()).status).toBe(200)
  })

  test.each([
    [65_536, 400],
    [65_537, 413],
  ])('of %i bytes is answered %i', async (bytes, status) => {
    const answer = await fetch(`${world.web.address}/auth/backchannel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'logout_token='.padEnd(bytes, 'x'),
    })
    expect(answer.status).toBe(status)
  })
})
