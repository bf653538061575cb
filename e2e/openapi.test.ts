import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '@keyferry/contract/openapi'
import { expect, test } from 'vitest'

const REDOCLY = join(import.meta.dirname, '../node_modules/.bin/redocly')

test('redocly finds no error in the document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-openapi-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(openApiDocument('0.0.0')))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(REDOCLY, ['lint', file], { encoding: 'utf8', env })
  rmSync(folder, { recursive: true })
  expect(status, stdout + stderr).toBe(0)
})
