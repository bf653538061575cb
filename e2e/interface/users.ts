import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Caller, expectFailure, newName, textOf, UUID } from './client.ts'
import { newPerson, type Running } from './servers.ts'

const ENSURE = '/api/v1/users/ensure'

/** Just-in-time provisioning, and the health check. */
export function users(running: Running): void {
  const ensure = (body: unknown) => new Caller(running().url).post(ENSURE, body)

  test('the health check is public', async () => {
    expect((await new Caller(running().url).get('/healthz')).status).toBe(200)
  })

  test('a new person is created without any credentials, and found again', async () => {
    const body = { idp_user_id: `user_${randomUUID()}`, email: 'sam@example.com', name: 'Sam' }
    const created = await ensure(body)
    const home = {
      user_id: expect.stringMatching(UUID),
      tenant_id: expect.stringMatching(UUID),
      role: 'owner',
    }
    expect([created.status, created.json]).toEqual([201, { ...home, created: true }])
    const again = await ensure(body)
    expect([again.status, again.json]).toEqual([200, { ...Object(created.json), created: false }])
    const [before] = await running().sql('select last_login from users where id = $1', [
      textOf(created, 'user_id'),
    ])
    await sleep(5)
    expect((await ensure({ ...body, email: 'other@example.com' })).status).toBe(200)
    const [after] = await running().sql('select * from users where id = $1', [textOf(created, 'user_id')])
    expect(after?.['email']).toBe('sam@example.com')
    expect(String(after?.['last_login']) > String(before?.['last_login'])).toBe(true)
    expect(after).toMatchObject({ idp_user_id: body.idp_user_id, password_hash: null })
  })

  test('calls at once create one person', async () => {
    const body = { idp_user_id: `user_${randomUUID()}`, email: 'once@example.com' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => ensure(body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(new Set(answers.map((answer) => textOf(answer, 'user_id'))).size).toBe(1)
  })

  test('the username is the local part of the e-mail, at most 20 characters, with a counter where it is taken', async () => {
    const local = `${newName('n')}_long_part`
    const made = []
    for (let index = 0; index < 3; index += 1)
      made.push(await ensure({ idp_user_id: `user_${randomUUID()}`, email: `${local}@example.com` }))
    const names = []
    for (const answer of made) {
      const [user] = await running().sql('select username from users where id = $1', [
        textOf(answer, 'user_id'),
      ])
      const [tenant] = await running().sql('select name, owner_id from tenants where id = $1', [
        textOf(answer, 'tenant_id'),
      ])
      const name = String(user?.['username'])
      expect(tenant).toMatchObject({ name: `${name}'s workspace`, owner_id: textOf(answer, 'user_id') })
      names.push(name)
    }
    expect(names[0]).toBe(local.slice(0, 20))
    expect(names.slice(1).map((name) => name.at(-1))).toEqual(['1', '2'])
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(20)
  })

  test.each([
    [{}, 'idp_user_id required'],
    [{ email: 'a@example.com' }, 'idp_user_id required'],
    [{ idp_user_id: 'google_1', email: 'a@example.com' }, 'Invalid idp_user_id format'],
    [{ idp_user_id: 'user_1' }, undefined],
    [{ idp_user_id: 'user_1', email: 'nobody' }, undefined],
  ])('%j is 400', async (body, message) => {
    expectFailure(await ensure(body), 400, message)
  })

  test('a suite can make a few hundred people', async () => {
    for (let round = 0; round < 15; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => newPerson(running(), running().url)))
  })
}
