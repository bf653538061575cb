import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validateWorkflow } from '@action-validator/core'
import { freePort } from '@keyferry/plumbing/free-port'
import { describe, expect, test } from 'vitest'
import { eventually } from '../plumbing/test/until.ts'
import { SETTINGS } from '../server/src/settings/setting-table.ts'
import { manifestsOf } from './manifests.ts'
import { hasProxy, type ProxyKind, startProxy } from './nginx.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const OTHERS_SETTINGS = ['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD']

test.each(['keyferry.env.example', 'api.env.example', 'web.env.example', 'compose.yaml'])(
  '%s sets nothing that the program does not know',
  (name) => {
    const names = [...read(name).matchAll(/^ *([A-Z][A-Z0-9_]+)[:=]/gm)].map(([, setting = '']) => setting)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((setting) => !(setting in SETTINGS) && !OTHERS_SETTINGS.includes(setting))).toEqual(
      [],
    )
  },
)

test.each([
  ['that an approval returns to its terminal', 'APPROVAL_ASSURANCE', 'bound'],
  ['an invitation from who comes', 'SIGN_UP', 'invited'],
  ['a signature over the whole call', 'REQUIRE_SIGNATURE_V2', '1'],
])('every hosted example demands %s', (_what, setting, value) => {
  const settingOf = (name: string) => new RegExp(`^${setting}=(\\w+)$`, 'm').exec(read(name))?.[1]
  expect(settingOf('keyferry.env.example')).toBe(value)
  for (const name of readdirSync(join(ROOT, 'deploy')).filter((file) => file.endsWith('.env.example')))
    expect([undefined, value]).toContain(settingOf(name))
  for (const name of ['keyferry.service', 'keyferry@.service'])
    expect(read(name)).toMatch(/^EnvironmentFile=\/etc\/keyferry\/keyferry\.env$/m)
  expect(read('kubernetes/keyferry.yaml').match(/name: keyferry-keyferry/g)).toHaveLength(2)
  const envFiles = [...read('compose.yaml').matchAll(/^ +env_file: (.+)$/gm)].map(([, list]) => list)
  expect(envFiles.length).toBeGreaterThan(1)
  for (const list of envFiles) expect(list).toContain('keyferry.env')
  for (const name of ['compose.yaml', 'keyferry.service', 'keyferry@.service', 'kubernetes/keyferry.yaml'])
    expect(read(name)).not.toContain(setting)
})

const inDockerfile = (form: RegExp) =>
  [...read('Dockerfile').matchAll(form)].flatMap(([, list = '']) => list.trim().split(/ +/))

test('what the image copies from a clone gets modes that do not depend on the umask of the clone', () => {
  const copied = inDockerfile(/^COPY (?!--from)([^.\s]+) \S+$/gm).map((source) => source.replace(/\/.*/, ''))
  const withModes = inDockerfile(/^RUN chmod -R u=rwX,go=rX ([^&\n]+)/gm)
  // Of `release`, the image has only what it packs, with the modes that it sets.
  expect(copied.filter((source) => !withModes.includes(source))).toEqual(['release'])
})

test('the image copies existing files, and every workspace but the stories', () => {
  const sources = inDockerfile(/^COPY (?!--from)(.+) \S+$/gm)
  expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
  const manifest: { workspaces: string[] } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const needed = manifest.workspaces.filter((workspace) => workspace !== 'e2e')
  expect(sources.filter((source) => source.endsWith('/package.json'))).toEqual(
    needed.map((workspace) => `${workspace}/package.json`),
  )
})

test.each([
  ['Dockerfile', /^ENTRYPOINT \["\/keyferry\/(server\/[^"]+)"\]$/m],
  ['keyferry.service', /^ExecStart=\/usr\/bin\/env \/opt\/keyferry\/(\S+)$/m],
  ['keyferry@.service', /^ExecStart=\/usr\/bin\/env \/opt\/keyferry\/(\S+) %i$/m],
])('%s starts the program by its first line, with the options of the file', (name, start) => {
  const program = start.exec(read(name))?.[1] ?? ''
  expect(readFileSync(join(ROOT, program), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  const [, NODE_OPTIONS = ''] = /NODE_OPTIONS=(\S+)/.exec(read(name)) ?? []
  expect(NODE_OPTIONS).toMatch(/^--max-semi-space-size=/)
  const env = { ...process.env, NODE_OPTIONS }
  const { status, stderr } = spawnSync(join(ROOT, program), ['--version'], { env })
  expect([status, String(stderr)]).toEqual([0, ''])
})

test('the two nginx files differ only in names', () => {
  const known: [RegExp, string][] = [
    [/^#(?: .*)?\n/gm, ''],
    [/(?:127\.0\.0\.1:5393|web-1:5393)/, 'WEB-1'],
    [/(?:127\.0\.0\.1:5394|web-2:5393)/, 'WEB-2'],
    [/\/etc\/ssl\/keyferry\/keyferry/g, '/etc/ssl/keyferry'],
  ]
  const plain = (name: string) =>
    known.reduce((text, [from, to]) => text.replace(from, to), read(name)).trim()
  expect(plain('nginx-compose.conf')).toBe(plain('nginx.conf'))
})

function madeCertificate(folder: string): void {
  const pair = ['-keyout', join(folder, 'keyferry.key'), '-out', join(folder, 'keyferry.crt')]
  const request = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=keyferry',
    ...pair,
  ]
  execFileSync('openssl', request, { stdio: 'ignore' })
  const [key, certificate] = ['key', 'crt'].map((end) =>
    readFileSync(join(folder, `keyferry.${end}`), 'utf8'),
  )
  writeFileSync(join(folder, 'keyferry.pem'), `${certificate}${key}`)
}

test.skipIf(!hasProxy('haproxy'))('HAProxy takes the example as it is, TLS and all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-haproxy-'))
  madeCertificate(folder)
  writeFileSync(join(folder, 'haproxy.cfg'), read('haproxy.cfg').replaceAll('/etc/haproxy/', `${folder}/`))
  const { status, stderr } = spawnSync('haproxy', ['-c', '-q', '-f', join(folder, 'haproxy.cfg')])
  rmSync(folder, { recursive: true, force: true })
  expect([status, String(stderr)]).toEqual([0, ''])
})

test.skipIf(!hasProxy('nginx'))('nginx takes the example as it is, TLS and all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-nginx-'))
  madeCertificate(folder)
  const example = read('nginx.conf')
    .replaceAll('/etc/ssl/', `${folder}/`)
    .replaceAll('/var/log/nginx', folder)
  const whole = `pid ${folder}/pid;\nevents {}\nhttp {\n${example}\n}\n`
  writeFileSync(join(folder, 'nginx.conf'), whole)
  const { status, stderr } = spawnSync('nginx', [
    '-t',
    '-q',
    '-c',
    join(folder, 'nginx.conf'),
    '-e',
    'stderr',
  ])
  rmSync(folder, { recursive: true, force: true })
  expect([status, String(stderr)]).toEqual([0, ''])
})

const hasSystemd = !spawnSync('systemd-analyze', ['--version']).error

test.skipIf(!hasSystemd).each([
  ['keyferry.service', 'keyferry.service'],
  ['keyferry@.service', 'keyferry@api.service'],
  ['keyferry@.service', 'keyferry@web.service'],
  ['keyferry.socket', 'keyferry.socket'],
])('systemd takes %s as %s', (name, unit) => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-systemd-'))
  writeFileSync(join(folder, unit), read(name))
  if (name.endsWith('.socket')) writeFileSync(join(folder, 'keyferry.service'), read('keyferry.service'))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, unit)])
  rmSync(folder, { recursive: true, force: true })
  expect([status, String(stderr)]).toEqual([0, ''])
})

test('the operator’s commands have the user, settings and data of the unit', () => {
  const [script, unit] = [read('keyferry-server'), read('keyferry.service')]
  for (const name of ['DynamicUser', 'UMask', 'StateDirectory', 'StateDirectoryMode', 'EnvironmentFile']) {
    const line = new RegExp(`^${name}=.+$`, 'm').exec(unit)?.[0]
    expect(script).toContain(` --property=${line} `)
  }
  expect(script).toContain(' --property=User=keyferry ') // systemd takes the name of the unit
  for (const form of [/\bDATA_DIR=\S+/, /\/usr\/bin\/env \S+/]) expect(script).toContain(form.exec(unit)?.[0])
})

test('the operator’s commands on a node have the settings of both layers, and the port of the API', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-node-'))
  for (const name of ['keyferry.env', 'web.env', 'api.env'])
    writeFileSync(join(folder, name), read(`nodes/${name}`))
  writeFileSync(join(folder, 'web.env'), `${read('nodes/web.env')}OIDC_ISSUER=https://idp.example.com\n`)
  const script = read('nodes/keyferry-server')
    .replaceAll('/etc/keyferry', folder)
    .replace(/^exec .*/m, 'exec env')
  const env = execFileSync('sh', ['-ec', script], { encoding: 'utf8' })
  rmSync(folder, { recursive: true, force: true })
  expect(env).toContain('\nOIDC_ISSUER=https://idp.example.com\n')
  expect(env).toContain('\nPORT=5395\n')
})

test('the workflow of a release has the form that GitHub demands', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yaml'), 'utf8')
  // The schema of the validator is older than this permission.
  const known = workflow.replace(/^ +attestations: write\n/m, '')
  expect(validateWorkflow(known)).toMatchObject({ errors: [] })
  expect(workflow).toContain('run: npm run release\n')
})

describe('Kubernetes', () => {
  const pods = manifestsOf('kubernetes/keyferry.yaml').flatMap(({ spec }) => spec?.template?.spec ?? [])
  const settings = new Map(
    pods.map(({ containers: [{ name, env = [] } = { name: '' }] }) => [
      name,
      Object.fromEntries(env.map((one) => [one.name, one.value])),
    ]),
  )

  test('the manifests set nothing that the program does not know, and the web nodes call the port of the API', () => {
    const names = [...settings.values()].flatMap((env) => Object.keys(env))
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !(name in SETTINGS))).toEqual([])
    expect(settings.get('web')?.['API_URL']).toBe(`http://keyferry-api:${settings.get('api')?.['PORT']}`)
  })

  test.each(['api', 'web'])('%s stops before Kubernetes ends it', (name) => {
    const grace = pods.find(({ containers }) => containers[0]?.name === name)?.terminationGracePeriodSeconds
    const stopSeconds = SETTINGS.STOP_SECONDS.schema.parse(undefined)
    expect(Number(settings.get(name)?.['DRAIN_SECONDS']) + stopSeconds).toBeLessThan(Number(grace))
  })
})

test('the alerts and the dashboard read metrics that the server reports, and the dashboard all of them', () => {
  const modules = globSync('api/src/*/module.ts', { cwd: ROOT })
  expect(modules.length).toBeGreaterThan(0)
  const sources = ['plumbing/src/metrics.ts', 'api/src/measures.ts', ...modules]
  const words = sources.flatMap((path) => readFileSync(join(ROOT, path), 'utf8').match(/\w+/g) ?? [])
  const reported = new Set(words)
  const texts = ['prometheus/alerts.yaml', 'prometheus/dashboard.json', 'kubernetes/keyferry.yaml'].map(read)
  const names = new Set(texts.flatMap((text) => text.match(/\bkeyferry_[a-z_]+?(?=_bucket|\b)/g) ?? []))
  expect(names.size).toBeGreaterThan(3)
  expect([...names].filter((name) => !reported.has(name))).toEqual([])
  const shown = read('prometheus/dashboard.json')
  expect([...reported].filter((word) => /^keyferry_[a-z_]+$/.test(word) && !shown.includes(word))).toEqual([])
})

describe.each<ProxyKind>(['nginx', 'haproxy'])('behind the example of %s', (kind) => {
  test.skipIf(!hasProxy(kind))('a client can write none of the headers that name its address', async () => {
    const seen = Promise.withResolvers<IncomingHttpHeaders>()
    const web = createServer(({ url, headers }, response) => {
      if (url === '/healthz') seen.resolve(headers)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(web, 'listening')
    const place = web.address()
    const port = typeof place === 'object' && place !== null ? place.port : 0
    const publicPort = await freePort()
    const end = await startProxy(kind, { public: publicPort, web: [port, port] })
    const forged = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' }
    await untilAnswered(`http://127.0.0.1:${publicPort}/healthz`, forged)
    const headers = await seen.promise
    await end()
    web.close()
    expect([headers['x-forwarded-for'], headers['forwarded']]).toEqual(['127.0.0.1', undefined])
  })
})

// HAProxy answers 503 until its first health check has passed.
async function untilAnswered(url: string, headers: Record<string, string>): Promise<void> {
  await eventually(async () => expect((await fetch(url, { headers })).status).toBe(200))
}
