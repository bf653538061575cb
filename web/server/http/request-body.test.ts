import { once } from 'node:events'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../plumbing/test/until.ts'
import { RecordingApi } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

let api: RecordingApi
let web: Web
let lines: string[]

beforeEach(async () => {
  api = new RecordingApi()
  lines = []
  const log = pino(
    new Writable({
      write: (line, _encoding, done) => {
        lines.push(String(line))
        done()
      },
    }),
  )
  web = await startTestWeb(await api.listen(), {}, { log })
})
afterEach(() => Promise.all([web.close(), api.close()]))

test('a caller who disconnects in the middle of a body is no failure of the server', async () => {
  const { hostname, port, host } = new URL(web.address)
  const socket = connect(Number(port), hostname)
  const head = `Host: ${host}\r\nExpect: 100-continue\r\nContent-Length: 100`
  socket.write(`POST /api/v1/requests HTTP/1.1\r\n${head}\r\n\r\n{"client`)
  await once(socket, 'data')
  socket.destroy()
  await fetch(`${web.address}/healthz`)
  await eventually(() => expect(lines.join()).toContain('/healthz'))
  expect(lines.filter((line) => JSON.parse(line).msg === 'failure')).toEqual([])
})
