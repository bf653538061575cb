import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT_PROGRAM } from '../../e2e/programs.ts'
import { type RunningServer, startServer } from '../../e2e/start-server.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/recipes.md'), 'utf8')
const VALUE = 'hello-from-the-bundle'

const SERVER = `#!/usr/bin/env node
import { McpServer } from '${import.meta.resolve('@modelcontextprotocol/server')}'
import { StdioServerTransport } from '${import.meta.resolve('@modelcontextprotocol/server/stdio')}'

const server = new McpServer({ name: 'tickets', version: '1' })
server.registerTool('greet', { description: 'Greets' }, () => {
  const { GREETING = 'nothing' } = process.env
  return { content: [{ type: 'text', text: GREETING.length + ' bytes: ' + GREETING }] }
})
await server.connect(new StdioServerTransport())
`

let folder: string
let server: RunningServer
let token: string

// The client uses a machine's token here, so no person has to approve.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-mcp-recipe-'))
  server = await startServer()
  const call = createClient(server.url)
  const entries = [{ name: 'GREETING', value: VALUE }]
  const { bundle_id } = await call('POST', '/api/v1/imports', { body: { bundle: 'dev/app', entries } })
  const { id: machine_id } = await call('POST', '/api/v1/machines', { body: { name: 'agent' } })
  await call('PUT', '/api/v1/machines/{machine_id}/bundles/{bundle_id}', {
    params: { machine_id, bundle_id: bundle_id ?? '' },
    body: { scope: 'deliver' },
  })
  const path = '/api/v1/machines/{machine_id}/tokens'
  token = (await call('POST', path, { params: { machine_id }, body: {} })).token
  program('bin/keyferry', `#!/bin/sh\nexec '${process.execPath}' '${CLIENT_PROGRAM}' "$@"\n`)
  program('node_modules/ticket-server/server.mjs', SERVER)
  program(
    'node_modules/.bin/ticket-server',
    `#!/bin/sh\nexec node "$(dirname "$0")/../ticket-server/server.mjs"\n`,
  )
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
})
afterAll(async () => {
  await server?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

function program(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
  chmodSync(join(folder, path), 0o755)
}

function recipe(): { command: string; args: string[] } {
  const [, text = ''] = /^```json \.mcp\.json\n([\s\S]*?)^```$/m.exec(PAGE) ?? []
  return JSON.parse(text).mcpServers.tickets
}

test('an agent starts a server by the recipe; the server has the value, and the agent does not', async () => {
  const client = new Client({ name: 'test-agent', version: '1' })
  const env = {
    PATH: `${join(folder, 'bin')}:${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    KEYFERRY_SERVER: server.url,
    KEYFERRY_TOKEN: token,
    AI_AGENT: 'test-agent',
    npm_config_offline: 'true',
  }
  await client.connect(new StdioClientTransport({ ...recipe(), env, cwd: folder, stderr: 'inherit' }))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['greet'])
  const { content } = await client.callTool({ name: 'greet' })
  expect(content).toEqual([{ type: 'text', text: `${VALUE.length} bytes: [keyferry:GREETING]` }])
  await client.close()
})
