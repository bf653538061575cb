import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { signDeviceRequest } from '@keyferry/crypto/device-key'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import { CarelessApprover, returnedSecret } from './lure.ts'
import { type ManyAddresses, manyAddresses } from './many-addresses.ts'
import { type NodeProcess, startProcess } from './node-process.ts'
import { CLIENT_PROGRAM, SERVER_PROGRAM } from './programs.ts'
import { type ScriptedBrowser, scriptedBrowser } from './scripted-browser.ts'
import { ownerNamed, type SignedClient, signedClient } from './signed-client.ts'

const SECRET = 'the shared secret of a test on loopback'
const USES = 50

const run = (bundle: string, command = ['printenv', bundle]) => ['run', bundle, '--', ...command]

describe('a remembered approval, with the real client', () => {
  let folder: string
  let server: NodeProcess
  let proxy: ManyAddresses
  let browser: ScriptedBrowser
  let owner: SignedClient

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyferry-stolen-'))
    await Promise.all(['home', 'thief', 'elsewhere'].map((name) => mkdir(join(folder, name))))
    ;[proxy, browser] = await Promise.all([manyAddresses(), scriptedBrowser(folder)])
    const stores = { DATA_DIR: folder, ROOT_KEY: formatRootKey(generateRootKey()), TRUST_PROXY: '127.0.0.1' }
    const env = { ...stores, AUTH_MODE: 'accounts', BFF_SHARED_SECRET: SECRET, PUBLIC_URL: proxy.url }
    server = await startProcess({ script: SERVER_PROGRAM, words: ['api'], env })
    proxy.leadTo(server.address)
    owner = await ownerNamed('stolen', server.address, SECRET)
  })
  afterAll(async () => {
    proxy?.close()
    await server?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** The client, in the terminal of the victim or of a thief who copied its key. */
  function client(words: readonly string[], { cwd = 'home', runtime = 'home' } = {}) {
    const { PATH, HOME } = process.env
    const state = { XDG_RUNTIME_DIR: join(folder, runtime), XDG_STATE_HOME: join(folder, 'state') }
    const child = spawn(process.execPath, [CLIENT_PROGRAM, ...words], {
      cwd: join(folder, cwd),
      env: { PATH, HOME, ...state, KEYFERRY_SERVER: proxy.url, BROWSER: browser.program },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let [printed, said] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    const ended = once(child, 'close').then(() => ({ printed, said }))
    return { ended, said: () => said, printed: () => printed, stop: () => child.kill('SIGTERM') }
  }

  const grantsOf = async (bundle: string) =>
    (await owner.call('GET', '/api/v1/grants')).filter((grant) => grant.bundle.name === bundle)

  let bundles = 0

  /** A bundle with one value, all three with one name. */
  async function newBundle() {
    bundles += 1
    const bundle = `STOLEN_${bundles}`
    const library = [{ name: bundle, keys: [{ name: bundle, value: bundle, is_secret: true }] }]
    const made = await createLibrary(server.address, library, owner.headers)
    return { bundle, id: made.bundles.get(bundle) ?? '' }
  }

  /** The approver lets the terminal that just asked repeat the approval. */
  async function approveForHours({ bundle, id }: { bundle: string; id: string }, approver = owner) {
    const { requestId, bringBack } = await browser.opened()
    const approved = await new CarelessApprover(server.address, approver.headers).approve(requestId, {
      bundle: id,
      keys: [bundle],
      release: 'loopback',
      remember_hours: 8,
    })
    expect(await bringBack(returnedSecret(approved))).toMatch(/#released$/)
  }

  /** A bundle whose approval the victim's terminal may repeat, and a thief who has the terminal's key. */
  async function remembered(approver = owner) {
    const made = await newBundle()
    const { bundle } = made
    const first = client(run(bundle))
    await approveForHours(made, approver)
    expect((await first.ended).printed).toBe(`${bundle}\n`)
    await cp(join(folder, 'home'), join(folder, 'thief'), { recursive: true })
    return bundle
  }

  /** The client asks a person, says why, and starts nothing. */
  async function expectAsks(why: string, words: readonly string[], cwd = 'home') {
    const asking = client(words, { cwd, runtime: 'thief' })
    await expect.poll(asking.said).toContain(`asking again: ${why}`)
    await browser.opened()
    asking.stop()
    expect((await asking.ended).printed).toBe('')
  }

  test('twenty restarts need one approval', async () => {
    const bundle = await remembered()
    for (let restart = 0; restart < 20; restart++)
      expect((await client(run(bundle)).ended).printed).toBe(`${bundle}\n`)
    expect(await browser.isAsked()).toBe(false)
    expect(await grantsOf(bundle)).toMatchObject([{ uses: 20 }])
  })

  test('--watch restarts the program after a change, until the approval is revoked', async () => {
    const made = await newBundle()
    const { bundle } = made
    const watching = client([
      'run',
      '--watch',
      bundle,
      '--',
      'sh',
      '-c',
      `printenv ${bundle}; exec sleep 100`,
    ])
    await approveForHours(made)
    const printed = (text: string) => expect.poll(watching.printed).toBe(`${bundle}\n${text}`)
    await printed('')
    const [key] = await owner.call('GET', '/api/v1/bundles/{bundle_id}/keys', {
      params: { bundle_id: made.id },
    })
    const change = (value: string) =>
      owner.call('PUT', '/api/v1/keys/{key_id}', { params: { key_id: key?.id ?? '' }, body: { value } })
    await change('second')
    await printed('second\n')
    expect(watching.said()).toContain(`keyferry: changed: ${bundle}; restarting the program\n`)
    expect(await grantsOf(bundle)).toMatchObject([{ uses: 1 }])
    const [grant] = await grantsOf(bundle)
    await owner.call('DELETE', '/api/v1/grants/{grant_id}', { params: { grant_id: grant?.id ?? '' } })
    await change('third')
    await expect.poll(watching.said).toContain('keyferry: values are not watched: ')
    expect(await browser.isAsked()).toBe(false)
    watching.stop()
    expect((await watching.ended).printed).toBe(`${bundle}\nsecond\n`)
  })

  test('a copied key repeats the approved command in its folder, nothing else, and nothing after it was revoked', async () => {
    const bundle = await remembered()
    expect((await client(run(bundle), { runtime: 'thief' }).ended).printed).toBe(`${bundle}\n`)
    await expectAsks('the program differs', run(bundle, ['env']))
    await expectAsks('argument 2 is new', run(bundle, ['printenv', bundle, 'HOME']))
    await expectAsks('the program differs', ['pull', bundle])
    await expectAsks('the folder differs', run(bundle), 'elsewhere')
    const [grant] = await grantsOf(bundle)
    const params = { grant_id: grant?.id ?? '' }
    await owner.call('DELETE', '/api/v1/grants/{grant_id}', { params })
    await expectAsks('the remembered approval was revoked', run(bundle))
  })

  test('a copied key is of no use after the terminal was told to forget', async () => {
    const bundle = await remembered()
    expect((await client(['forget']).ended).said).toContain('ended')
    await expectAsks('the remembered approval was forgotten', run(bundle))
  })

  test('the fifty-first use asks, also after uses by a thief', async () => {
    const bundle = await remembered()
    const [grant] = await grantsOf(bundle)
    const [file = ''] = await readdir(join(folder, 'thief/keyferry'))
    const seed = Uint8Array.from(await readFile(join(folder, 'thief/keyferry', file)))
    const command = { argv: grant?.argv ?? [], cwd: grant?.cwd ?? '' }
    const uses = Array.from({ length: USES + 5 }, async () => await useBy(seed, bundle, command))
    expect((await Promise.all(uses)).filter((isUsed) => isUsed)).toHaveLength(USES)
    await expectAsks('the remembered approval has no uses left', run(bundle))
  })

  async function useBy(seed: Uint8Array, bundle: string, command: { argv: string[]; cwd: string }) {
    const { publicKey } = generateKeyPair()
    const rest = { workspace: undefined, templateKeys: [], argvMasked: undefined, agent: undefined }
    const use = { redaction: 'auto', flags: ['run'] } as const
    const signed = { clientPublicKey: publicKey, bundle, ...rest, ...command, use }
    const { remembered: used } = await createClient(proxy.url)('POST', '/api/v1/requests', {
      body: {
        client_pubkey: Buffer.from(publicKey).toString('base64'),
        bundle_id: bundle,
        ...command,
        use: { ...use, flags: [...use.flags] },
        device: signDeviceRequest(seed, signed, new Date().toISOString()),
      },
    })
    return used !== undefined
  }

  test('a copied key is of no use once the person who approved is no member', async () => {
    const person = await colleague()
    const bundle = await remembered(person)
    const params = { user_id: person.identity.userId }
    await owner.call('DELETE', '/api/v1/members/{user_id}', { params })
    await expectAsks('the person who approved is no longer a member', run(bundle))
  })

  async function colleague(): Promise<SignedClient> {
    const alone = await ownerNamed('colleague', server.address, SECRET)
    const email = 'colleague@example.com'
    const { token } = await owner.call('POST', '/api/v1/invitations', { body: { email, role: 'member' } })
    await alone.call('POST', '/api/v1/invitations/accept', { body: { token } })
    const identity = { userId: alone.identity.userId, tenantId: owner.identity.tenantId }
    return signedClient(server.address, SECRET, identity)
  }
})
