import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { keeperOf } from '../src/root-key/key-keeper.ts'
import { ageKeeper, installKeeper } from './keepers.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const place = (name: string) => join(folder.path, name)
const key = randomBytes(32)
const MODULE = '/usr/lib/softhsm/libsofthsm2.so'

afterAll(() => folder.remove())

function expectToKeep(id: string): void {
  const keeper = keeperOf(id)
  const wrapped = Buffer.from(keeper.wrap(key, 'a context'))
  expect(wrapped.includes(key)).toBe(false)
  expect(Buffer.from(keeper.unwrap(wrapped, 'a context')).equals(key)).toBe(true)
  const changed = Buffer.from(wrapped)
  changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1
  expect(unwrapped(id, changed)?.equals(key) ?? false).toBe(false)
}

function unwrapped(id: string, wrapped: Uint8Array): Buffer | null {
  try {
    return Buffer.from(keeperOf(id).unwrap(wrapped, 'a context'))
  } catch {
    return null
  }
}

test('age keeps a key, and another identity does not open it', () => {
  const id = ageKeeper(place('age'))
  expectToKeep(id)
  const wrapped = keeperOf(ageKeeper(place('other'))).wrap(key, '')
  expect(() => keeperOf(id).unwrap(wrapped, '')).toThrow('no identity matched')
})

test('a token of PKCS #11 keeps a key, and its own key cannot leave it', () => {
  const conf = place('softhsm2.conf')
  mkdirSync(place('tokens'))
  writeFileSync(conf, `directories.tokendir = ${place('tokens')}\nobjectstore.backend = file\n`)
  writeFileSync(place('pin'), '5678\n')
  const env = { ...process.env, SOFTHSM2_CONF: conf }
  const pins = ['--so-pin', '1234', '--pin', '5678']
  execFileSync('softhsm2-util', ['--init-token', '--free', '--label', 'keyferry', ...pins], {
    env,
    stdio: 'ignore',
  })
  const login = ['--module', MODULE, '--token-label', 'keyferry', '--login', '--pin', '5678']
  const generated = ['--keygen', '--key-type', 'AES:32', '--id', '01', '--sensitive']
  execFileSync('pkcs11-tool', [...login, ...generated], { env, stdio: 'ignore' })
  const settings = [`MODULE=${MODULE}`, 'TOKEN=keyferry', 'KEY_ID=01', `PIN_FILE=${place('pin')}`]
  const id = installKeeper(place('pkcs11'), 'pkcs11', [...settings, `export SOFTHSM2_CONF=${conf}`])
  expectToKeep(id)
  const read = ['--read-object', '--type', 'secrkey', '--id', '01']
  expect(spawnSync('pkcs11-tool', [...login, ...read], { env }).status).not.toBe(0)
  const wrapped = keeperOf(id).wrap(key, '')
  writeFileSync(place('pin'), 'wrong\n')
  expect(() => keeperOf(id).unwrap(wrapped, '')).toThrow('CKR_PIN_INCORRECT')
})

describe('a TPM', () => {
  let tpm: ChildProcess
  const env = { ...process.env, TPM2TOOLS_TCTI: `swtpm:path=${place('tpm.sock')}` }

  beforeAll(async () => {
    mkdirSync(place('tpm-state'))
    const [server, control] = [place('tpm.sock'), place('tpm.sock.ctrl')].map(
      (path) => `type=unixio,path=${path}`,
    )
    const words = ['socket', '--tpm2', '--tpmstate', `dir=${place('tpm-state')}`, '--server', server ?? '']
    tpm = spawn('swtpm', [...words, '--ctrl', control ?? '', '--flags', 'not-need-init,startup-clear'], {
      stdio: 'ignore',
    })
    await until('the socket of the TPM', () => existsSync(place('tpm.sock.ctrl')))
  })

  afterAll(() => void tpm.kill())

  test('keeps a key until the state of the machine changes', () => {
    const id = installKeeper(place('tpm'), 'tpm', [
      'PCRS=sha256:7',
      `export TPM2TOOLS_TCTI=${env.TPM2TOOLS_TCTI}`,
    ])
    expectToKeep(id)
    const wrapped = keeperOf(id).wrap(key, '')
    execFileSync('tpm2_pcrextend', [`7:sha256=${'ab'.repeat(32)}`], { env })
    expect(() => keeperOf(id).unwrap(wrapped, '')).toThrow('the TPM does not open it: sha256:7 has changed')
  })
})

// The fake stores its words, and wraps by turning its input round. In the answer of wrap and unwrap each tool writes
// what the real one does.
const FAKE = `#!/bin/bash
printf '%s\\n' "$*" | sed 's#/dev/fd/[0-9]*#/dev/fd/N#' >>"$0.calls"
exec rev
`

test.each([
  [
    'aws-kms',
    'aws',
    '#!/bin/bash\necho "$*" >>"$0.calls"\nbase64 -w 0\n',
    [
      'kms encrypt --plaintext fileb:///dev/stdin --query CiphertextBlob --key-id K --encryption-context keyferry=C --output text',
      'kms decrypt --ciphertext-blob fileb:///dev/stdin --query Plaintext --key-id K --encryption-context keyferry=C --output text',
    ],
  ],
  [
    'gcp-kms',
    'gcloud',
    '#!/bin/bash\necho "$*" | sed "s#/dev/fd/[0-9]*#/dev/fd/N#" >>"$0.calls"\ncat\n',
    ['encrypt', 'decrypt'].map(
      (call) =>
        `kms ${call} --key K --plaintext-file=- --ciphertext-file=- --additional-authenticated-data-file=/dev/fd/N`,
    ),
  ],
  [
    'azure-keyvault',
    'az',
    FAKE,
    ['encrypt', 'decrypt'].map(
      (call) =>
        `keyvault key ${call} --id K --algorithm RSA-OAEP-256 --data-type base64 --value @- --query result --output tsv`,
    ),
  ],
  [
    'vault-transit',
    'vault',
    FAKE,
    [
      'write -field=ciphertext transit/encrypt/K plaintext=-',
      'write -field=plaintext transit/decrypt/K ciphertext=-',
    ],
  ],
])('%s calls %s as documented, and never shows the key to other processes', (name, tool, program, calls) => {
  const fakes = place(`fakes-${name}`)
  mkdirSync(fakes)
  writeFileSync(join(fakes, tool), program, { mode: 0o755 })
  const id = installKeeper(place(name), name, ['KEY=K', `export PATH=${fakes}:$PATH`])
  const keeper = keeperOf(id)
  expect(Buffer.from(keeper.unwrap(keeper.wrap(key, 'C'), 'C')).equals(key)).toBe(true)
  expect(
    readFileSync(join(fakes, `${tool}.calls`), 'utf8')
      .trim()
      .split('\n'),
  ).toEqual(calls)
})

test('a credential of systemd opens only under its name', () => {
  const words = ['encrypt', '--with-key=host', '--name=root.key', '-', place('root.key.cred')]
  const encrypted = spawnSync('systemd-creds', words, { input: key.toString('base64'), encoding: 'utf8' })
  if (encrypted.status !== 0) {
    if (process.env['CI']) throw new Error(`systemd-creds: ${encrypted.stderr}`)
    return console.warn('SKIPPED: systemd-creds has no key of this host')
  }
  const decrypt = (name: string) =>
    spawnSync('systemd-creds', ['decrypt', `--name=${name}`, place('root.key.cred'), '-'], {
      encoding: 'utf8',
    })
  expect(decrypt('root.key').stdout).toBe(key.toString('base64'))
  expect(decrypt('another').status).not.toBe(0)
})
