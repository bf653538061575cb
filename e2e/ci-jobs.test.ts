import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { validateAction, validateWorkflow } from '@action-validator/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CiWorld, startCiWorld } from './ci-world.ts'
import { runAction } from './github-runner.ts'
import { runGitlabJob } from './gitlab-runner.ts'
import { manifestsOf } from './manifests.ts'

const CI = join(import.meta.dirname, '../deploy/ci')
const read = (name: string) => readFileSync(join(CI, name), 'utf8')

// Asynchronous: this process carries the connections to the server.
const started = promisify(execFile)

let world: CiWorld
let folder: string
const base = () => ({
  PATH: `${world.clientFolder}:${process.env['PATH']}`,
  HOME: folder,
  ...world.trustVariables,
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-job-'))
  world = await startCiWorld()
})

afterAll(async () => {
  await world?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

/** No line of a value, no ID token, and no part that makes one valid. */
function expectNoSecrets(log: string): void {
  const lines = Object.values(world.values).flatMap((value) => value.split('\n'))
  const secrets = [...lines.filter((line) => line.includes('marker-')), ...world.issued.map(signatureOf)]
  expect(secrets.length).toBeGreaterThan(4)
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
}

const inputs = () => ({ server: world.address, machine: world.machineId, bundle: 'prod/billing' })

const githubJob = () => ({
  ...base(),
  ...world.requestVariables,
  GITHUB_REPOSITORY: 'octo-org/octo-repo',
})

const runExampleJob = async (variables: Record<string, string>) =>
  await runGitlabJob({
    template: join(CI, 'gitlab'),
    folder,
    job: 'deploy',
    programs: { 'deploy.sh': 'echo "deployed with ${#TLS_KEY} ${KEYFERRY_ID_TOKEN-no token}"' },
    env: base(),
    variables: { KEYFERRY_SERVER: world.address, KEYFERRY_MACHINE: world.machineId, ...variables },
  })

function signatureOf(token: string): string {
  return token.split('.')[2] ?? token
}

describe('GitHub Actions', () => {
  const action = read('github/action.yml')
  test('the action and the workflow have the form that GitHub demands', () => {
    expect(validateAction(action)).toMatchObject({ errors: [] })
    expect(validateWorkflow(read('github/example-workflow.yml'))).toMatchObject({ errors: [] })
    expect(validateAction(action.replace('using: composite', 'using: nothing')).errors).not.toEqual([])
  })

  test('a command gets the values, and the log shows none of them', async () => {
    const run =
      'printenv DATABASE_URL TLS_KEY PERCENT; printenv PERCENT >&2; env | grep -c "^KEYFERRY_ID" || true'
    const job = await runAction(action, { inputs: { ...inputs(), run }, env: githubJob() })
    expect(job.exitCode).toBe(0)
    expect(job.log).toContain('as machine ci-deploy, by GitHub Actions octo-org/octo-repo')
    expect(job.log.match(/\*\*\*/g)?.length).toBeGreaterThanOrEqual(5)
    expectNoSecrets(job.log)
  })

  test('a runner without the client gets it from the server', async () => {
    const tools = mkdtempSync(join(folder, 'tools-'))
    symlinkSync(process.execPath, join(tools, 'node'))
    const env = { ...githubJob(), PATH: `${tools}:/usr/bin:/bin` }
    const run = 'command -v keyferry; echo "${#TLS_KEY}"'
    const job = await runAction(action, { inputs: { ...inputs(), run }, env })
    expect([job.exitCode, job.log]).toEqual([0, expect.stringContaining(`${folder}/.local/bin/keyferry`)])
    expect(job.log.split('\n')).toContain(String(world.values['TLS_KEY']?.length))
    expectNoSecrets(job.log)
  })

  test('a server with another certificate gives no client', async () => {
    const env = { ...githubJob(), PATH: '/usr/bin:/bin', CURL_CA_BUNDLE: '/etc/hostname' }
    const job = await runAction(action, { inputs: { ...inputs(), run: 'echo started' }, env })
    expect(job.exitCode).not.toBe(0)
    expect(job.log).not.toContain('started')
  })

  test('the later steps get the values, without a command', async () => {
    const job = await runAction(action, { inputs: inputs(), env: githubJob() })
    expect(job.exported).toEqual(world.values)
    expectNoSecrets(job.log)
  })

  test('keys that are named, and a command that fails', async () => {
    const run = 'echo "${PERCENT-absent}"; false; echo not reached'
    const job = await runAction(action, {
      inputs: { ...inputs(), keys: 'DATABASE_URL', run },
      env: githubJob(),
    })
    expect([job.exitCode, job.log.split('\n').includes('absent')]).toEqual([1, true])
    expect(job.log).not.toContain('not reached')
  })

  test('a bundle with the text of a command is a name', async () => {
    const bundle = '`touch $HOME/made`";touch $HOME/made'
    const job = await runAction(action, { inputs: { ...inputs(), bundle, run: 'true' }, env: githubJob() })
    expect(job.exitCode).not.toBe(0)
    expect(() => statSync(join(folder, 'made'))).toThrow()
  })

  test('a job without the permission for ID tokens says what is missing', async () => {
    const job = await runAction(action, { inputs: inputs(), env: base() })
    expect([job.exitCode, job.exported]).toEqual([2, {}])
    expect(job.log).toContain('permissions: id-token: write')
  })
})

describe('GitLab', () => {
  test('the job of the example gets the values, and its program gets no ID token', async () => {
    const { exitCode, log } = await runExampleJob({ KEYFERRY_ID_TOKEN: await world.idToken('gitlab') })
    expect([exitCode, log]).toEqual([0, expect.stringContaining('no token')])
    expect(log).toContain(`deployed with ${world.values['TLS_KEY']?.length} no token`)
    expectNoSecrets(log)
  })

  test('a job without an ID token says what is missing', async () => {
    const { exitCode, log } = await runExampleJob({})
    expect([exitCode, log]).toEqual([1, expect.stringContaining('KEYFERRY_ID_TOKEN')])
  })
})

describe('Kubernetes', () => {
  test('the init container writes the values where the service reads them, readable by one user', async () => {
    const pod = manifestsOf('ci/kubernetes/billing.yaml').flatMap(({ spec }) => spec?.template?.spec ?? [])[0]
    const [fetching, [serving]] = [pod?.initContainers?.[0], pod?.containers ?? []]
    const values = mkdtempSync(join(folder, 'values-'))
    writeFileSync(join(folder, 'token'), await world.idToken('kubernetes'))
    const mounted = (text: string) =>
      text.replace('/values/', `${values}/`).replace('/identity/', `${folder}/`)
    const own = { KEYFERRY_SERVER: world.address, KEYFERRY_MACHINE: world.machineId }
    const declared = Object.fromEntries(
      (fetching?.env ?? []).map(({ name, value = '' }) => [name, mounted(value)]),
    )
    expect(Object.keys(declared)).toEqual([...Object.keys(own), 'KEYFERRY_ID_TOKEN_FILE'])
    // Twice: the container starts again if its node restarts.
    for (const _ of [1, 2]) {
      const log = await started('keyferry', (fetching?.args ?? []).map(mounted), {
        env: { ...base(), ...declared, ...own },
      })
      expect(log.stdout).toBe('')
    }
    expect(statSync(join(values, 'env')).mode & 0o777).toBe(0o600)
    const [shell = '', flag = '', script = ''] = serving?.command ?? []
    writeFileSync(join(folder, 'server'), '#!/bin/sh\nprintf %s "$TLS_KEY"\n', { mode: 0o755 })
    const printed = execFileSync(shell, [flag, mounted(script)], {
      cwd: folder,
      env: base(),
      encoding: 'utf8',
    })
    expect(printed).toBe(world.values['TLS_KEY'])
  })
})

test('the log of the server has no value and no ID token', () => {
  expect(world.issued.length).toBeGreaterThan(4)
  expectNoSecrets(world.server.output())
})
