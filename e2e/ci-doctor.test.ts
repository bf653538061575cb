import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CiWorld, startCiWorld } from './ci-world.ts'

let world: CiWorld
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-doctor-'))
  world = await startCiWorld()
})

afterAll(async () => {
  await world?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

// Asynchronous: this process serves the ID tokens.
async function doctor(env: Record<string, string>): Promise<{ exitCode: number | null; lines: string[] }> {
  const own = {
    PATH: `${world.clientFolder}:${process.env['PATH']}`,
    HOME: folder,
    ...world.trustVariables,
    KEYFERRY_SERVER: world.address,
  }
  const child = spawn('keyferry', ['doctor'], { cwd: folder, env: { ...own, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
  for (const token of world.issued) expect(output).not.toContain(token.split('.')[2])
  return { exitCode, lines: output.split('\n') }
}

const machine = () => ({ KEYFERRY_MACHINE: world.machineId })

test('in GitHub Actions it shows the claims of a bound ID token, and that the server accepts it', async () => {
  const job = {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'octo-org/octo-repo',
    GITHUB_REF_NAME: 'main',
    ...world.requestVariables,
  }
  const { exitCode, lines } = await doctor({ ...job, ...machine() })
  expect(lines).toContain(
    'ok    ID token: GitHub Actions octo-org/octo-repo@main, signed by https://token.actions.githubusercontent.com',
  )
  expect(lines).toContain(`ok    audience: ${world.address}, bound to the key of this call`)
  expect(lines).toContainEqual(expect.stringMatching(/^ok {4}expiry: in (300|299|298) s$/))
  expect(lines).toContain('ok    claim: repository_id = 74')
  expect(lines).toContain('ok    claim: environment = prod')
  expect(lines).toContain(`ok    machine: ${world.machineId}: the server accepts this identity`)
  expect(exitCode).toBe(0)
})

test('in GitLab it shows an audience of another service, and no address of a person', async () => {
  const idToken = await world.idToken('gitlab', 'https://vault.example.com')
  const job = { GITLAB_CI: 'true', CI_PROJECT_PATH: 'my-group/my-project', CI_COMMIT_REF_NAME: 'main' }
  const { exitCode, lines } = await doctor({ ...job, ...machine(), KEYFERRY_ID_TOKEN: idToken })
  expect(lines).toContain('ok    ID token: GitLab CI my-group/my-project@main, signed by https://gitlab.com')
  expect(lines).toContain(`note  audience: https://vault.example.com, which is not ${world.address}`)
  expect(lines.join('\n')).toMatch(
    /^FAIL {2}machine: .* claims that differ: aud\n.*Request the ID token for/m,
  )
  expect(lines.join('\n')).not.toContain('@example.com')
  expect(exitCode).toBe(1)
})

test('in a pod it names the claims that no trust has', async () => {
  const stranger = await world.idToken('kubernetes', undefined, { sub: 'system:serviceaccount:prod:other' })
  writeFileSync(join(folder, 'token'), `${stranger}\n`)
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KEYFERRY_ID_TOKEN_FILE: join(folder, 'token') }
  const { exitCode, lines } = await doctor({ ...pod, ...machine() })
  expect(lines).toContainEqual(expect.stringMatching(/^ok {4}ID token: Kubernetes, signed by /))
  expect(lines).toContain(`ok    audience: ${world.address}, not bound to a key`)
  expect(lines.join('\n')).toMatch(/^FAIL {2}machine: .* claims that differ: sub\n.*An owner can allow/m)
  expect(exitCode).toBe(1)
})

test('with a token it shows the machine, its bundles and the end of the token', async () => {
  const params = { machine_id: world.machineId }
  const call = createClient(world.server.url)
  const { id: bundle_id } = await call('POST', '/api/v1/bundles', { body: { name: 'prod/named-only' } })
  const path = '/api/v1/machines/{machine_id}/bundles/{bundle_id}'
  await call('PUT', path, { params: { ...params, bundle_id }, body: { scope: 'read' } })
  const body = { expires_in_days: 7 }
  const { token } = await call('POST', '/api/v1/machines/{machine_id}/tokens', { params, body })
  const { exitCode, lines } = await doctor({ KEYFERRY_TOKEN: token })
  expect(lines).toContainEqual(
    expect.stringMatching(/^ok {4}machine: ci-deploy in local's workspace, by token …\w{4}$/),
  )
  expect(lines).toContain('ok    bundles: it may fetch prod/billing')
  expect(lines).toContainEqual(expect.stringMatching(/^ok {4}token: until 20\d\d-/))
  expect(lines.join('\n')).not.toContain(token)
  expect(exitCode).toBe(0)
})

test('an expired ID token and a text that is none fail', async () => {
  const expired = await world.idToken('gitlab', undefined, { exp: Math.floor(Date.now() / 1_000) - 300 })
  const late = await doctor({ ...machine(), KEYFERRY_ID_TOKEN: expired })
  expect(late.lines).toContainEqual(expect.stringMatching(/^FAIL {2}expiry: 30\d s ago$/))
  expect(late.lines).toContainEqual(expect.stringMatching(/^FAIL {2}machine: .*the ID token has expired/))
  const none = await doctor({ ...machine(), KEYFERRY_ID_TOKEN: 'no-token' })
  expect(none.lines).toContain('FAIL  ID token: it is not a JWT')
  expect([late.exitCode, none.exitCode]).toEqual([1, 1])
})

test('a job without a machine gets a note, and one without the permission an error', async () => {
  const plain = await doctor({ GITLAB_CI: 'true', CI_PROJECT_PATH: 'a/b', CI_COMMIT_REF_NAME: 'main' })
  expect(plain.lines).toContain(
    'note  machine: GitLab CI a/b@main, but no machine credential is set, so keyferry asks a person',
  )
  const without = await doctor({ GITHUB_ACTIONS: 'true', ...machine() })
  expect(without.lines).toContain('FAIL  machine: KEYFERRY_MACHINE is set, but no ID token is')
  expect([plain.exitCode, without.exitCode]).toEqual([0, 1])
})

test('what doctor presented fetched nothing, and the owner sees the refused identity', async () => {
  const call = createClient(world.server.url)
  const deliveries = await call('GET', '/api/v1/deliveries', { query: { machine_id: world.machineId } })
  expect(deliveries).toEqual([])
  const attempts = await call('GET', '/api/v1/machines/{machine_id}/attempts', {
    params: { machine_id: world.machineId },
  })
  expect(attempts.map(({ reason }) => reason)).toEqual(['sub'])
})
