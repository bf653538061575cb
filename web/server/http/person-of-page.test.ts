import { afterEach, beforeEach, expect, test } from 'vitest'
import { PERSON, RecordingApi } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

const ANOTHER = '0c1a8f7e-9a0d-4b8e-8f4e-5d5e9d1f7a02'

let api: RecordingApi
let web: Web

beforeEach(async () => {
  api = new RecordingApi()
  web = await startTestWeb(await api.listen())
})

afterEach(async () => {
  await Promise.all([web.close(), api.close()])
})

const call = (method: string, path: string, person: string | null) =>
  fetch(`${web.address}${path}`, { method, headers: person === null ? {} : { 'keyferry-person': person } })

test.each(['GET', 'POST', 'PUT', 'DELETE'])(
  'a %s of a page that shows another person is refused, and reaches nothing',
  async (method) => {
    const path = method === 'POST' ? '/api/v1/keys' : '/api/v1/keys/x'
    const answer = await call(method, path, ANOTHER)
    expect(answer.status).toBe(409)
    const details = { user_id: PERSON.user_id }
    const error = 'another person is signed in than this page shows: reload the page'
    expect(await answer.json()).toEqual({ error, code: 'other_person', details })
    expect(api.forwarded).toEqual([])
    expect((await call(method, path, PERSON.user_id)).status).toBe(200)
    expect((await call(method, path, null)).status).toBe(200)
  },
)

test('a public call is served, whoever the page shows', async () => {
  expect((await call('GET', '/api/v1/requests/x/wait', ANOTHER)).status).toBe(200)
})
