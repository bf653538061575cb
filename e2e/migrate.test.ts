import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPrograms } from '../plumbing/test/programs.ts'
import { commandsOf } from './documents.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

/*
 * The commands of docs/migrate.md, with programs in the place of the other tools that check their arguments and print
 * what those tools print. The values have what export formats get wrong: quotes, several lines, JSON, a backslash, a
 * dollar sign.
 */

const PEM = '-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n'
const JSON_VALUE = '{"type":"service_account","id":7}'
const VALUES = {
  API_KEY: 'sk_live_a1=b2#c3',
  GREETING: `it's "here"`,
  TLS_KEY: PEM,
  ACCOUNT: JSON_VALUE,
  WINDOWS: String.raw`C:\names\user`,
  PRICE: '$5 and ${HOME}',
}
const { GREETING: _, WINDOWS: __, ...PLAIN } = VALUES

/** Each tool: the arguments of the documented command, and what it then prints; `file`: writes it to its last
 * argument. */
const TOOLS: Readonly<Record<string, { words: string; prints: string; file?: true }>> = {
  dotenvx: {
    words: 'get -f .env.production',
    prints: JSON.stringify({ DOTENV_PUBLIC_KEY_PRODUCTION: '03a1', ...VALUES }),
  },
  doppler: {
    words: 'secrets download --no-file --format json --project app --config prd',
    prints: JSON.stringify({ ...VALUES, DOPPLER_CONFIG: 'prd' }),
  },
  infisical: {
    words: 'export --env=prod --format=json',
    prints: JSON.stringify(
      Object.entries(VALUES).map(([key, value]) => ({
        key,
        workspace: 'w',
        value,
        type: 'shared',
        tags: [],
      })),
    ),
  },
  op: {
    words: 'inject --in-file .env.op',
    prints: Object.entries(PLAIN)
      .map(([name, value]) => `${name}="${value}"\n`)
      .join(''),
  },
  vercel: {
    words: 'env pull --yes --environment=production .env.vercel',
    prints: `# Created by Vercel CLI\n${Object.entries(PLAIN)
      .map(([name, value]) => `${name}="${value.replaceAll('\n', String.raw`\n`)}"\n`)
      .join('')}`,
    file: true,
  },
}

let server: RunningServer
let folder: string

beforeAll(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'keyferry-migrate-'))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const client = `exec '${process.execPath}' '${CLIENT_PROGRAM}' "$@"\n`
  const programs = Object.entries(TOOLS).map(async ([name, { words, prints, file }]) => {
    await writeFile(join(folder, `${name}.txt`), prints)
    const target = file ? ` > "$(eval echo \\$$#)"` : ''
    return [
      name,
      `[ "$*" = '${words}' ] || exit 64\ncat '${join(folder, `${name}.txt`)}'${target}\n`,
    ] as const
  })
  const all = [...(await Promise.all(programs)), ['keyferry', client] as const]
  await Promise.all(
    all.map(([name, body]) => writeFile(join(bin, name), `#!/bin/sh\n${body}`, { mode: 0o755 })),
  )
})

afterAll(async () => {
  await server?.dispose()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
})

async function run(commands: string): Promise<string> {
  const child = spawn('sh', ['-ec', commands], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      KEYFERRY_SERVER: server.url,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [status] = await once(child, 'close')
  return `${status}: ${errors}`
}

const call = () => createClient(server.url)

/** What the bundle delivers. Owners read a value only where it is public. */
async function valuesOf(bundleName: string): Promise<Record<string, string | null>> {
  const bundles = await call()('GET', '/api/v1/bundles', { query: { query: bundleName } })
  const bundle = bundles.find(({ name }) => name === bundleName)
  const keys = await call()('GET', '/api/v1/bundles/{bundle_id}/keys', {
    params: { bundle_id: bundle?.id ?? '' },
  })
  return Object.fromEntries(keys.map(({ name, value }) => [name, value]))
}

const commands = commandsOf('docs/migrate.md')

test.for(Object.entries(TOOLS))('%s', async ([tool, { prints }], { skip }) => {
  skip(tool === 'infisical' && !hasPrograms('jq'), 'jq is not installed')
  const used = commands.filter(
    (line) => line.startsWith(`${tool} `) || (tool === 'vercel' && /\.env\.vercel/.test(line)),
  )
  expect(used.length).toBeGreaterThan(0)
  const bundle = `${tool}/app`
  const names = Object.keys(VALUES).filter((name) => prints.includes(name))
  const line = used.join('\n').replaceAll(/--bundle \S+/g, `--bundle ${bundle} --public ${names.join()}`)
  expect(await run(line)).toMatch(/^0:/)
  const expected = Object.fromEntries(Object.entries(VALUES).filter(([name]) => names.includes(name)))
  expect(await valuesOf(bundle)).toMatchObject(expected)
})

test('.env files', async () => {
  const text = String.raw`API_KEY='sk_live_a1=b2#c3'
export GREETING='it'\''s "here"'
TLS_KEY="-----BEGIN KEY-----
MIIB
-----END KEY-----
"
`
  await Promise.all(['.env', '.env.production'].map((name) => writeFile(join(folder, name), text)))
  const used = commands.filter((line) => /^keyferry import \.env(\.production)? /.test(line))
  expect(used.length).toBe(2)
  expect(await run(used.join('\n').replaceAll(/$/gm, ' --public API_KEY,GREETING,TLS_KEY'))).toMatch(/^0:/)
  const { API_KEY, GREETING, TLS_KEY } = VALUES
  expect(await valuesOf('prod/app')).toEqual({ API_KEY, GREETING, TLS_KEY })
})

test('every command of the page is run here', () => {
  // e2e/move-library.test.ts runs export-library.
  const known = [...Object.keys(TOOLS), 'keyferry', 'keyferry-server', 'rm']
  expect(commands.filter((line) => line !== '' && !known.includes(line.split(' ')[0] ?? ''))).toEqual([])
})
