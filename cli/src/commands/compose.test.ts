import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startScriptedServer } from '../../test/scripted-server.ts'
import { stage } from '../../test/stage.ts'
import { parseWords } from '../command-line/parse-words.ts'
import { composeCommand } from './compose.ts'

test('the page shows the command of Compose, which shows what the request waits for, and gets the values', async () => {
  const needs = [
    { needs: 'approver', deciders: { who: 'owner', count: 2 }, expires_in: 60 },
    { needs: 'second_person' },
    { needs: 'release', release_by: 'code' },
  ]
  const server = await startScriptedServer({
    wait: (_, count) => {
      const needed = needs[count - 1]
      return needed === undefined ? {} : { body: { status: 'pending', ...needed } }
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-compose-'))
  const scene = stage({ KEYFERRY_SERVER: server.url }, folder)
  const up = ['--project-name', 'shop', 'up', '--bundle', 'dev/app', '--no-open', 'secrets']
  const parts = { ...scene, clock: { ...scene.clock, sleep: async () => undefined } }
  expect(await composeCommand.run(parseWords(composeCommand, up), parts)).toBe(0)
  const messages = scene.seen.stdout.trim().split('\n')
  expect(messages.map((message) => JSON.parse(message))).toEqual([
    { type: 'info', message: expect.stringMatching(/^approve at http.* \([A-Z]{4}-[A-Z]{4}\)$/) },
    { type: 'info', message: 'another person has to approve' },
    { type: 'info', message: 'a second person has to approve' },
    {
      type: 'info',
      message: expect.stringMatching(/^run keyferry release [0-9a-f]{32} CODE with the code from the page$/),
    },
    { type: 'rawsetenv', message: "GREETING=it's me" },
    { type: 'rawsetenv', message: 'EMPTY=' },
  ])
  const argv = ['docker', 'compose', '--project-name', 'shop', 'up']
  expect(server.asked.map(({ body }) => body)).toMatchObject([{ argv }])
  server.close()
  rmSync(folder, { recursive: true })
})
