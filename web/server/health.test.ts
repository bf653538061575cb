import { expect, test } from 'vitest'
import { RecordingApi, sendJson } from '../test/recording-api.ts'
import { startTestWeb } from '../test/start-test-web.ts'

test('healthz needs nothing behind it; readyz says what is down', async () => {
  const api = new RecordingApi()
  const web = await startTestWeb(await api.listen())
  api.answer = (_call, response) => sendJson(response, 200, { status: 'ok', failing: [] })
  const ready = await fetch(`${web.address}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', failing: [] }])
  api.answer = (_call, response) => sendJson(response, 503, { status: 'unavailable', failing: ['database'] })
  const half = await fetch(`${web.address}/readyz`)
  expect([half.status, await half.json()]).toEqual([503, { status: 'unavailable', failing: ['database'] }])
  await api.close()
  const away = await fetch(`${web.address}/readyz`)
  expect([away.status, await away.json()]).toEqual([503, { status: 'unavailable', failing: ['api'] }])
  const health = await fetch(`${web.address}/healthz`)
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok', version: '0.0.0-test' }])
  await web.close()
})
