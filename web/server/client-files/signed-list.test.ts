import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientFolder, fakeProgram, VERSION, writeFiles } from '../../test/client-folder.ts'
import { install, isInstalled, machineHome, SHELLS } from '../../test/install-machine.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'
import { ClientFiles } from './client-files.ts'
import { installScript } from './install-script.ts'

const PROGRAM = `keyferry-${VERSION}-linux-x64.gz`
const NEEDED = ['date', 'grep', 'tail']
const keys = mkdtempSync(join(tmpdir(), 'keyferry-signed-'))
const keyOf = (name: string) => readFileSync(join(keys, `${name}.pub`), 'utf8').split('\n')[1] ?? ''

let folder: string
let web: Web

beforeAll(async () => {
  for (const name of ['publisher', 'stranger']) {
    const files = ['-p', join(keys, `${name}.pub`), '-s', join(keys, name)]
    execFileSync('minisign', ['-G', '-W', ...files])
  }
  folder = clientFolder({ [PROGRAM]: fakeProgram('linux-x64') })
  web = await startTestWeb('http://127.0.0.1:1', { clientDir: folder })
})

afterAll(async () => {
  await web.close()
})

type Signed = { comment?: string; by?: string; place?: string }

function signed({
  comment = `keyferry ${VERSION} expires 2999-12-31`,
  by = 'publisher',
  place = folder,
}: Signed = {}) {
  const words = ['-S', '-s', join(keys, by), '-m', join(place, 'SHA256SUMS'), '-t', comment]
  execFileSync('minisign', words)
}

async function script(place = folder): Promise<string> {
  const files = await new ClientFiles(place, VERSION).list()
  return await installScript('install.sh', {
    origin: web.address,
    version: VERSION,
    files,
    signer: keyOf('publisher'),
  })
}

const machine = (tool: string) => machineHome({ with: [...NEEDED, tool] })

describe.each(['minisign', 'openssl'])('with %s', (tool) => {
  test('a signed list is checked, and its last day is named', async () => {
    signed()
    const { exit, stdout, stderr, says } = await install(machine(tool), { text: await script() })
    expect([exit, stderr, says]).toEqual([0, '', 'linux-x64'])
    expect(stdout).toContain('The list is signed by the publisher, and valid until 2999-12-31.\n')
  })

  test.each<[string, () => void, string]>([
    ['a list of a stranger', () => signed({ by: 'stranger' }), 'the publisher did not sign this list'],
    [
      'a list that was changed',
      () => {
        signed()
        writeFileSync(join(folder, 'SHA256SUMS'), `${readFileSync(join(folder, 'SHA256SUMS'), 'utf8')}\n`)
      },
      'the publisher did not sign this list',
    ],
    [
      'a comment that was changed',
      () => {
        signed({ comment: `keyferry ${VERSION} expires 2001-12-31` })
        const file = join(folder, 'SHA256SUMS.minisig')
        writeFileSync(file, readFileSync(file, 'utf8').replace('2001', '2999'))
      },
      'the publisher did not sign this list',
    ],
    [
      'a signature that is nothing',
      () => writeFileSync(join(folder, 'SHA256SUMS.minisig'), 'x\n'),
      'did not sign',
    ],
    [
      'an expired list',
      () => signed({ comment: `keyferry ${VERSION} expires 2001-12-31` }),
      'the signed list expired on 2001-12-31; nothing was installed',
    ],
    [
      'the list of an older version',
      () => signed({ comment: 'keyferry 0.0.0 expires 2999-12-31' }),
      `the signed list is not of keyferry ${VERSION}: keyferry 0.0.0 expires 2999-12-31`,
    ],
  ])('%s is refused', async (_, prepare, complaint) => {
    writeFiles(folder, { [PROGRAM]: fakeProgram('linux-x64') })
    prepare()
    const { exit, stderr, says } = await install(machine(tool), { text: await script() })
    expect([exit, says]).toEqual([1, null])
    expect(stderr).toContain(complaint)
  })
})

test.each(SHELLS.filter(isInstalled))('%s checks the signature with openssl', async (shell) => {
  writeFiles(folder, { [PROGRAM]: fakeProgram('linux-x64') })
  signed()
  expect(await install(machine('openssl'), { shell, text: await script() })).toMatchObject({
    exit: 0,
    stderr: '',
  })
  signed({ by: 'stranger' })
  expect(await install(machine('openssl'), { shell, text: await script() })).toMatchObject({
    exit: 1,
    says: null,
  })
})

test('a file and its sum that were swapped after the signature are refused', async () => {
  writeFiles(folder, { [PROGRAM]: fakeProgram('linux-x64') })
  signed()
  const other = clientFolder({ [PROGRAM]: fakeProgram('of an attacker') })
  const { exit, stderr, says } = await install(machine('openssl'), { text: await script(other) })
  expect([exit, says]).toEqual([1, null])
  expect(stderr).toContain(`${PROGRAM} is not in the signed list with this checksum; nothing was installed`)
})

test('without a program for signatures, the script says that it checked none', async () => {
  writeFiles(folder, { [PROGRAM]: fakeProgram('linux-x64') })
  signed({ by: 'stranger' })
  const { exit, stdout } = await install(machineHome({ with: NEEDED }), { text: await script() })
  expect([exit, stdout]).toEqual([
    0,
    expect.stringContaining('The signature was not checked: install minisign'),
  ])
})

test('an older version replaces a newer one only with --older', async () => {
  const home = machineHome()
  const text = await installScript('install.sh', {
    origin: web.address,
    version: VERSION,
    files: await new ClientFiles(folder, VERSION).list(),
    signer: '',
  })
  const newer = `#!/bin/sh\necho 0.10.0\n`
  mkdirSync(join(home, '.local/bin'), { recursive: true })
  writeFileSync(join(home, '.local/bin/keyferry'), newer, { mode: 0o755 })
  const refused = await install(home, { text })
  expect([refused.exit, refused.says]).toEqual([1, '0.10.0'])
  expect(refused.stderr).toContain(
    `keyferry 0.10.0 is installed, and this server has the older ${VERSION}; nothing was installed`,
  )
  expect(await install(home, { text, words: ['--older'] })).toMatchObject({ exit: 0, says: 'linux-x64' })
})

const serverFile = async (name: string) => await fetch(`${web.address}/client/${name}`)

test('the server hands out the list and its signature as they are', async () => {
  writeFiles(folder, { [PROGRAM]: fakeProgram('linux-x64') })
  rmSync(join(folder, 'SHA256SUMS.minisig'), { force: true })
  expect((await serverFile('SHA256SUMS.minisig')).status).toBe(404)
  signed()
  for (const name of ['SHA256SUMS', 'SHA256SUMS.minisig'])
    expect(await (await serverFile(name)).text()).toBe(readFileSync(join(folder, name), 'utf8'))
  expect(existsSync(join(folder, PROGRAM))).toBe(true)
})

test('without a key of a publisher in the source, the script checks no signature', async () => {
  signed()
  expect(await (await fetch(`${web.address}/install.sh`)).text()).toContain("signer=''")
})
