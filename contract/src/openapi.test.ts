import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { openApiDocument } from './openapi.ts'

const REDOCLY = join(import.meta.dirname, '../../node_modules/.bin/redocly')

test('redocly finds no error in the document', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'keyferry-openapi-')), 'openapi.json')
  writeFileSync(file, JSON.stringify(openApiDocument('0.0.0')))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(REDOCLY, ['lint', file], { encoding: 'utf8', env })
  expect(status, stdout + stderr).toBe(0)
})

test('every endpoint of the table is an operation with an example of each body', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    const operation = document.paths[row.path][row.method.toLowerCase()]
    expect(operation.operationId).toBe(name)
    const bodies = [operation.requestBody, ...Object.values(operation.responses)].filter(Boolean)
    for (const { content = {} } of bodies) {
      for (const media of Object.values(content)) expect(media, name).toHaveProperty('example')
    }
  }
})

test('every operation has one of the described tags', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
  const described = document.tags.map(({ name }: { name: string }) => name)
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    const [tag] = document.paths[row.path][row.method.toLowerCase()].tags
    expect(described, name).toContain(tag)
  }
})
