import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '@keyferry/contract/openapi'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOOLS } from '../plumbing/test/programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const ROOT = join(import.meta.dirname, '..')
const MODULES = join(ROOT, TOOLS)
const REDOCLY = join(MODULES, '.bin/redocly')

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-openapi-'))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument('0.0.0')))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('redocly finds no error in the document', () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { encoding: 'utf8', env } as const
  const { status, stdout, stderr } = spawnSync(REDOCLY, ['lint', join(folder, 'openapi.json')], options)
  expect(status, stdout + stderr).toBe(0)
})

/** Run a program of the folder; its output is in the failure. */
function run(command: string, args: readonly string[], env: Record<string, string> = {}): string {
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } } as const
  const { status, stdout, stderr } = spawnSync(command, args, options)
  expect(status, `${command}: ${stdout}${stderr}`).toBe(0)
  return stdout
}

/** What the programs do: store a value, approve a request for it and collect it, with the required fields only. */
type Generated = {
  /** The last part of the bundle's name. */
  bundle: string
  generate: readonly [command: string, ...args: string[]]
  program: string
}

const GENERATORS: Readonly<Record<string, Generated>> = {
  'openapi-typescript': {
    bundle: 'typed',
    generate: [join(MODULES, '.bin/openapi-typescript'), 'openapi.json', '-o', 'schema.ts'],
    program: `import createClient from 'openapi-fetch'
import type { paths } from './schema.ts'
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' })
const must = <T>({ data, error }: { data?: T; error?: unknown }): T => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}
const bundle = must(await client.POST('/api/v1/bundles', { body: { name: 'dev/typed' } }))
const key = must(await client.POST('/api/v1/keys', { body: { name: 'TYPED', value: 'v' } }))
const path = { bundle_id: bundle.id, key_id: key.id }
must(await client.POST('/api/v1/bundles/{bundle_id}/keys/{key_id}', { params: { path } }))
const client_pubkey = process.argv[3] ?? ''
const request = must(await client.POST('/api/v1/requests', { body: { client_pubkey } }))
const params = { path: { request_id: request.id } }
const body = { bundle_id: bundle.id, include_keys: ['TYPED'] }
must(await client.POST('/api/v1/requests/{request_id}/encrypt-from-bundle', { params, body }))
const answer = must(await client.GET('/api/v1/requests/{request_id}/wait', { params }))
const name: string | undefined = answer.status === 'ready' ? answer.bundle?.name : answer.status
console.log(name, bundle.key_count, must(await client.GET('/api/v1/me')).email_verified)
`,
  },
  'openapi-typescript-codegen': {
    bundle: 'classes',
    generate: [
      join(MODULES, 'openapi-typescript-codegen/bin/index.js'),
      '-i',
      'openapi.json',
      '-o',
      'generated',
      '--useOptions',
    ],
    program: `import { BundlesService, KeysService, MeService, OpenAPI, RequestsService } from './generated'
OpenAPI.BASE = process.argv[2] ?? ''
const bundle = await BundlesService.createBundle({ requestBody: { name: 'dev/classes' } })
const key = await KeysService.createKey({ requestBody: { name: 'CLASSES', value: 'v' } })
await BundlesService.attachKey({ bundleId: bundle.id, keyId: key.id })
const requestBody = { client_pubkey: process.argv[3] ?? '' }
const { id: requestId } = await RequestsService.createRequest({ requestBody })
const approval = { bundle_id: bundle.id, include_keys: ['CLASSES'] }
await RequestsService.encryptFromBundle({ requestId, requestBody: approval })
const answer = await RequestsService.waitForApproval({ requestId })
const name: string | undefined = 'bundle' in answer ? answer.bundle?.name : answer.status
console.log(name, bundle.key_count, (await MeService.getMe({})).email_verified)
`,
  },
  'swagger-typescript-api': {
    bundle: 'methods',
    generate: [
      join(MODULES, 'swagger-typescript-api/dist/cli.mjs'),
      'generate',
      '--silent',
      '--path',
      'openapi.json',
      '--output',
      '.',
      '--name',
      'methods.ts',
    ],
    program: `import { Api } from './methods.ts'
const { api } = new Api({ baseUrl: process.argv[2] ?? '' })
const { data: bundle } = await api.createBundle({ name: 'dev/methods' })
const { data: key } = await api.createKey({ name: 'METHODS', value: 'v' })
await api.attachKey(bundle.id, key.id)
const { data: request } = await api.createRequest({ client_pubkey: process.argv[3] ?? '' })
await api.encryptFromBundle(request.id, { bundle_id: bundle.id, include_keys: ['METHODS'] })
const { data: answer } = await api.waitForApproval(request.id)
const name: string | undefined = 'bundle' in answer ? answer.bundle?.name : answer.status
console.log(name, bundle.key_count, (await api.getMe()).data.email_verified)
`,
  },
}

const TSC =
  `--noEmit --strict --exactOptionalPropertyTypes --target es2024 --module esnext --moduleResolution bundler
  --allowImportingTsExtensions --types node --pretty false`
    .split(/\s+/)
    .concat('--typeRoots', join(ROOT, 'node_modules/@types'))

describe('a generated client compiles and works with a running server', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.dispose())

  test.each(Object.entries(GENERATORS))('%s', (name, { generate: [command, ...args], program, bundle }) => {
    run(command, args)
    writeFileSync(join(folder, `${name}.ts`), program)
    run(join(ROOT, 'node_modules/.bin/tsc'), [...TSC, `${name}.ts`])
    const bundling = ['--bundle', '--platform=node', '--format=esm', `--outfile=${name}.mjs`]
    execFileSync(join(ROOT, 'node_modules/.bin/esbuild'), [`${name}.ts`, ...bundling, '--log-level=error'], {
      cwd: folder,
    })
    const publicKey = Buffer.alloc(32, 9).toString('base64')
    expect(run(process.execPath, [`${name}.mjs`, server.url, publicKey])).toBe(`dev/${bundle} 0 false\n`)
  })
})
