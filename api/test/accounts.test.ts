import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, oneDatabase, openDatabaseOf, SETUP_CODE, startTestApi, type TestApi } from './api.ts'

const EMAIL = 'sam@example.com'
const PASSWORD = 'correct horse battery'

describe.each(oneDatabase)('local accounts on %s', (kind) => {
  let api: TestApi
  let now = new Date('2026-01-31T12:00:00.000Z')
  let peer = 0
  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => now, trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())

  // Each call comes from a different address, so that it meets no rate limit.
  const headers = () => {
    peer += 1
    return { 'x-forwarded-for': `198.51.${Math.floor(peer / 250)}.${peer % 250}` }
  }
  const setUp = (account: object) => {
    const body = { setup_code: SETUP_CODE, ...account }
    return api.call('setUpAccount', { body, headers: headers() })
  }
  const logIn = (email: string, password: string) =>
    api.call('logIn', { body: { email, password }, headers: headers() })

  test('of ten first accounts at once one is created, later ones are refused', async () => {
    expectError(
      await setUp({ email: EMAIL, password: 'short' }),
      400,
      'password must be at least 12 characters',
    )
    for (const password of [`${PASSWORD}\0`, `${PASSWORD}\ud800`]) {
      const refused = await setUp({ email: EMAIL, password })
      expect([refused.status, refused.failure?.details]).toEqual([400, { field: 'password' }])
    }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => setUp({ email: EMAIL, password: PASSWORD })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expectError(
      await setUp({ email: 'other@example.com', password: PASSWORD }),
      409,
      'an account is set up already',
      'conflict',
    )
  })

  test('a wrong set-up code is refused before there is an account', async () => {
    const own = await startTestApi(kind)
    const setUpOwn = (account: object) =>
      own.call('setUpAccount', { body: { email: EMAIL, password: PASSWORD, ...account } })
    expectError(await setUpOwn({}), 400, 'setup_code required')
    const wrong = await setUpOwn({ setup_code: `${SETUP_CODE}x` })
    expectError(wrong, 403, 'Forbidden: wrong set-up code', 'forbidden')
    expect((await setUpOwn({ setup_code: ` ${SETUP_CODE}\n` })).status).toBe(201)
    expect((await setUpOwn({ setup_code: 'any' })).status).toBe(429)
    await own.close()
  })

  test('the right password signs in with the e-mail in any case', async () => {
    const { status, json } = await logIn(EMAIL.toUpperCase(), PASSWORD)
    expect(status).toBe(200)
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    expect((await api.call('getMe', { as })).json).toMatchObject({ email: EMAIL, role: 'owner' })
  })

  test('an unknown e-mail and a wrong password get the same answer', async () => {
    const wrong = await logIn(EMAIL, 'wrong')
    const unknown = await logIn('nobody@example.com', 'wrong')
    expectError(wrong, 401, 'Unauthorized', 'unauthorized')
    expect(unknown.text).toBe(wrong.text)
    await logIn(EMAIL, PASSWORD)
  })

  test('an unknown e-mail takes as long as a wrong password', async () => {
    const times = { known: 0, unknown: 0 }
    for (let round = 0; round < 3; round += 1) {
      for (const [name, email] of [
        ['known', EMAIL],
        ['unknown', 'nobody@example.com'],
      ] as const) {
        const before = process.cpuUsage()
        await logIn(email, 'wrong')
        times[name] += process.cpuUsage(before).user
      }
    }
    await logIn(EMAIL, PASSWORD)
    expect(times.unknown / times.known).toBeGreaterThan(0.5)
    expect(times.unknown / times.known).toBeLessThan(2)
  })

  test('five failures lock the account for fifteen minutes, for the right password too', async () => {
    for (let failure = 0; failure < 5; failure += 1)
      expectError(await logIn(EMAIL, 'wrong'), 401, 'Unauthorized')
    const until = '2026-01-31T12:15:00.000Z'
    expectError(await logIn(EMAIL, PASSWORD), 403, `Account locked until ${until}`, 'account_locked')
    now = new Date('2026-01-31T12:14:59.999Z')
    expectError(await logIn(EMAIL, PASSWORD), 403, `Account locked until ${until}`, 'account_locked')
    now = new Date('2026-01-31T12:15:00.001Z')
    expectError(await logIn(EMAIL, 'wrong'), 401, 'Unauthorized')
    expect((await logIn(EMAIL, PASSWORD)).status).toBe(200)
  })

  test('a lock that was set on a clock that was days ahead lasts for fifteen minutes from now', async () => {
    const before = now
    const email = 'ahead@example.com'
    now = new Date(before.getTime() + 3 * 24 * 60 * 60_000)
    for (let failure = 0; failure < 5; failure += 1) {
      await logIn(email, 'wrong')
      await logIn('ahead-too@example.com', 'wrong')
    }
    now = before
    const until = new Date(before.getTime() + 15 * 60_000)
    expectError(
      await logIn(email, 'wrong'),
      403,
      `Account locked until ${until.toISOString()}`,
      'account_locked',
    )
    now = new Date(before.getTime() + 60_000)
    const later = new Date(now.getTime() + 15 * 60_000).toISOString()
    expectError(await logIn('ahead-too@example.com', 'wrong'), 403, `Account locked until ${later}`)
    now = new Date(until.getTime() + 1)
    expectError(await logIn(email, 'wrong'), 401, 'Unauthorized')
    now = before
  })

  test('a common password is refused', async () => {
    const own = await startTestApi(kind)
    const body = { setup_code: SETUP_CODE, email: EMAIL, password: 'password1234' }
    const message = 'password is too easy to guess: use a few words that do not belong together'
    expectError(await own.call('setUpAccount', { body }), 400, message, 'invalid')
    await own.close()
  })

  const signedIn = async (password = PASSWORD) => {
    const { json } = await logIn(EMAIL, password)
    return { userId: json.user_id, tenantId: json.tenant_id }
  }

  describe('a signed-in person', () => {
    const OTHER = 'monkey dragon teapot'
    test('changes the password, and needs the current one for it', async () => {
      const as = await signedIn()
      const change = (current_password: string, new_password: string) =>
        api.call('changePassword', { as, body: { current_password, new_password } })
      const wrong = await change('wrong', OTHER)
      expectError(wrong, 400, 'the current password is wrong', 'invalid')
      expect(wrong.failure?.details).toEqual({ field: 'current_password' })
      expect((await change(PASSWORD, 'qwertyuiop12')).status).toBe(400)
      expect((await change(PASSWORD, OTHER)).status).toBe(200)
      expect((await logIn(EMAIL, PASSWORD)).status).toBe(401)
      expect((await logIn(EMAIL, OTHER)).status).toBe(200)
      expect((await change(OTHER, PASSWORD)).status).toBe(200)
    })

    test('five wrong current passwords lock the account', async () => {
      const as = await signedIn()
      const body = { current_password: 'wrong', new_password: OTHER }
      for (let failure = 0; failure < 5; failure += 1)
        expect((await api.call('changePassword', { as, body })).status).toBe(400)
      expect((await api.call('changePassword', { as, body })).failure?.code).toBe('account_locked')
      now = new Date(now.getTime() + 15 * 60_000 + 1)
    })

    test('changes the e-mail, unless another account has it', async () => {
      const as = await signedIn()
      const change = (email: string, current_password = PASSWORD) =>
        api.call('changeEmail', { as, body: { current_password, email } })
      const { token } = (
        await api.call('createInvitation', { as, body: { email: 'kim@example.com', role: 'member' } })
      ).json
      await api.call('joinWithAccount', { body: { token, password: PASSWORD } })
      expectError(await change('KIM@example.com'), 409, 'this e-mail has an account already', 'conflict')
      expectError(await change('sam@example.org', 'wrong'), 400, 'the current password is wrong')
      expect((await change('sam@example.org')).status).toBe(200)
      expect((await logIn('sam@example.org', PASSWORD)).status).toBe(200)
      expect((await logIn(EMAIL, PASSWORD)).status).toBe(401)
      expect((await change(EMAIL)).status).toBe(200)
    })
  })

  test('a lock does not tell whether the e-mail has an account', async () => {
    const locked = await Promise.all(
      [EMAIL, 'nobody-locked@example.com'].map(async (email) => {
        for (let failure = 0; failure < 5; failure += 1) await logIn(email, 'wrong')
        return await logIn(email, 'wrong')
      }),
    )
    expect(locked.map(({ status }) => status)).toEqual([403, 403])
    expect(locked[1]?.text).toBe(locked[0]?.text)
    now = new Date(now.getTime() + 15 * 60_000 + 1)
    expect((await logIn(EMAIL, PASSWORD)).status).toBe(200)
  })

  test('a sign-in clears the failed attempts of its own e-mail only', async () => {
    const email = 'another-guessed@example.com'
    for (let failure = 0; failure < 4; failure += 1) await logIn(email, 'wrong')
    expect((await logIn(EMAIL, PASSWORD)).status).toBe(200)
    expectError(await logIn(email, 'wrong'), 401, 'Unauthorized')
    expectError(
      await logIn(email, 'wrong'),
      403,
      `Account locked until ${new Date(now.getTime() + 15 * 60_000).toISOString()}`,
      'account_locked',
    )
  })

  test('failed attempts of the day before do not count', async () => {
    for (let failure = 0; failure < 4; failure += 1) await logIn(EMAIL, 'wrong')
    now = new Date(now.getTime() + 24 * 60 * 60_000 + 1)
    for (let failure = 0; failure < 4; failure += 1)
      expectError(await logIn(EMAIL, 'wrong'), 401, 'Unauthorized')
    expect((await logIn(EMAIL, PASSWORD)).status).toBe(200)
  })

  test('what is forgotten of other e-mails is deleted with the next attempt', async () => {
    await logIn('once@example.com', 'wrong')
    now = new Date(now.getTime() + 24 * 60 * 60_000 + 1)
    await logIn('another@example.com', 'wrong')
    const database = await openDatabaseOf(api)
    const kept = await database.query.selectFrom('login_attempts').select('forgotten_at').execute()
    await database.close()
    expect(kept.map(({ forgotten_at }) => forgotten_at > now.toISOString())).not.toContain(false)
  })

  test('concurrent guesses cannot bypass the limit', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => logIn(EMAIL, `guess ${index}`)),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7)
  })
})
