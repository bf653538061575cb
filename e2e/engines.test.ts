import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, OWNER, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { clientTerminal } from './client-terminal.ts'
import type { EnginePage, RunningEngine } from './engines/engine.ts'
import { ENGINES, hasEngine } from './engines/engines.ts'
import { type HttpsDoor, openHttpsDoor } from './https-door.ts'
import { Attacker } from './lure.ts'
import { noteAddresses } from './opened-address.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, type Terminal } from './terminal.ts'

const LINK = /https:\/\/localhost:\d+\/a\/[\w-]{22}/
const APPROVE = button('Approve')
const TOKEN = 'A'.repeat(43)

describe.skipIf(!hasTerminal())('an approval returns from a page behind https', () => {
  let folder: string
  let door: HttpsDoor
  let server: RunningServer
  let opened: Awaited<ReturnType<typeof noteAddresses>>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyferry-engines-'))
    door = await openHttpsDoor(folder)
    const env = { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: door.url, APPROVAL_ASSURANCE: 'bound' }
    server = await startServer({ env: { ...ACCOUNTS, ...env } })
    door.leadTo(server.port)
    const cookie = await setUpOwner(server.url)
    await createLibrary(server.url, undefined, sessionHeaders(door.url, cookie))
    opened = await noteAddresses(folder)
  })
  afterAll(async () => {
    closeTerminals()
    door?.close()
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** A client in a new terminal that pulls a bundle. Without `opens` it has no browser on its computer. */
  function client({ opens }: { opens: boolean }) {
    const output = join(folder, `${randomUUID()}.json`)
    const terminal = clientTerminal(
      { folder, serverUrl: door.url, opened },
      ['pull', 'dev/app', '--format', 'json', '--output', output],
      { opens, env: { NODE_EXTRA_CA_CERTS: door.certificate } },
    )
    const values = async () => {
      expect(await terminal.exit).toBe(0)
      return JSON.parse(await readFile(output, 'utf8'))
    }
    return { terminal, values }
  }

  describe.each(ENGINES)('in $name', (engine) => {
    describe.skipIf(!hasEngine(engine))('', () => {
      let running: RunningEngine
      let page: EnginePage

      beforeAll(async () => {
        running = await engine.start({ folder, publicPort: door.port })
        page = running.page
      })
      afterAll(async () => await running?.close())

      test('over loopback, through a sign-in: one click, and the page that comes back says so', async () => {
        const { values } = client({ opens: true })
        await page.goto(await opened.next())
        await signIn(page)
        await readRequest(page)
        expect(await page.address()).toMatch(new RegExp(`^${door.url}/approve/\\w+$`))
        await page.click(APPROVE)
        expect(await values()).toMatchObject({ DATABASE_URL: 'planted-database_url', PORT: '3000' })
        await page.text(heading('Delivered'))
        expect(await page.address()).toMatch(new RegExp(`^${door.url}/approve/\\w+$`))
      })

      test('the client’s port is gone: the page says so, and a code takes the approval back', async () => {
        const { terminal, values } = client({ opens: true })
        const [link] = await terminal.appears(LINK)
        await opened.next()
        await approveIntoNothing(page, link)
        await page.text(heading('Your browser could not reach the program'))
        await page.click(button('Get a code'))
        await typeShownCode(page, terminal)
        expect(await values()).toMatchObject({ DATABASE_URL: 'planted-database_url' })
        await page.text(heading('Delivered'))
      })

      test('by a code from the start', async () => {
        const { terminal, values } = client({ opens: false })
        const [link] = await terminal.appears(LINK)
        await page.goto(link)
        await readRequest(page)
        await page.click(button('It is the same: approve'))
        await typeShownCode(page, terminal)
        expect(await values()).toMatchObject({ DATABASE_URL: 'planted-database_url' })
        await page.text(heading('Delivered'))
      })

      test('denied: the client ends and has nothing', async () => {
        const { terminal } = client({ opens: true })
        await page.goto(await opened.next())
        await readRequest(page)
        await page.click(button('Deny'))
        await page.text(heading('Denied'))
        expect(await terminal.exit).toBe(3)
        expect(terminal.output()).toContain('denied')
      })

      test('a lure with a forged way back: the attacker gets nothing', async () => {
        const attacker = new Attacker(server.url)
        const id = await attacker.ask('dev/app', ['loopback', 'code'])
        await approveIntoNothing(page, `${door.url}/approve/${id}`)
        await page.text(heading('Your browser could not reach the program'))
        expect((await attacker.context(id)).body).toMatchObject({ status: 'held', held: { by: 'loopback' } })
        await page.click(button('Deny'))
        await page.text(heading('Denied'))
        expect(await attacker.wait(id)).toMatchObject({ status: 404, body: { code: 'request_denied' } })
        expect(attacker.hasBox).toBe(false)
      })
    })
  })
})

function button(name: string): string {
  return `//button[normalize-space()='${name}'][not(@aria-disabled='true')]`
}

function heading(text: string): string {
  return `//h1[normalize-space()='${text}']`
}

async function signIn(page: EnginePage): Promise<void> {
  await page.type("//input[@type='email']", OWNER.email)
  await page.type("//input[@type='password']", OWNER.password)
  // Safari applies it late, and would take the focus from a field in which a person types.
  expect(await page.run("return document.querySelector('[autofocus]')")).toBeNull()
  await page.click(button('Sign in'))
}

/** Move the pointer over the page, as a person does who reads it, until its buttons are active: a second later. An engine
 * may report that the page has the focus only after some movements. */
async function readRequest(page: EnginePage): Promise<void> {
  await page.text("//button[normalize-space()='Deny']")
  let x = 40
  const moved = async () => {
    x = x < 400 ? x + 20 : 40
    await page.movePointer(x, 40)
    return await page.run(`const buttons = [...document.querySelectorAll('button')]
      return buttons.some((each) => each.innerText.trim() === 'Deny' && each.ariaDisabled !== 'true')`)
  }
  await expect.poll(moved, { interval: 100 }).toBe(true)
}

/** Approve a request whose fragment names a port without a listener, and come back from what the browser then shows. */
async function approveIntoNothing(page: EnginePage, link: string): Promise<void> {
  const target = `http://127.0.0.1:${await freePort()}/r/${TOKEN}`
  await page.goto(`${link}#lb=${new URL(target).port}.${TOKEN}`)
  await readRequest(page)
  await page.click(APPROVE)
  await expect.poll(page.address).not.toContain('/approve/')
  expect(await page.address()).not.toContain('secret')
  await page.goto(link)
}

async function typeShownCode(page: EnginePage, terminal: Terminal): Promise<void> {
  await page.text(heading('Type this code into your terminal'))
  const code = await page.text("//p[@role='status']")
  await terminal.appears(/six digits from the page: /)
  terminal.type(`${code}\n`)
}
