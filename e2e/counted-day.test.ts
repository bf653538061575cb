import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { freePort } from '@keyferry/plumbing/free-port'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AGENT, agentComputer } from './agent-commands.ts'
import { ACCOUNTS, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { openPage, pressArmed, readRequest, type WatchedPage } from './app-page.ts'
import { addApprovalKey, confirmByOperator } from './approval-key.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { chooseRule } from './rules-page.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { addVirtualAuthenticator } from './virtual-authenticator.ts'

const LAPTOP = '198.51.100.7'

/** The proxy in front of a hosted server. It reports that each caller has the address LAPTOP. */
async function proxyTo(port: number, at: number) {
  const proxy = createServer((asked, answer) => {
    const { method, url = '/', headers } = asked
    const passed = { ...headers, 'x-forwarded-for': LAPTOP }
    const on = request({ host: '127.0.0.1', port, method, path: url, headers: passed }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    answer.on('close', () => on.destroy())
    on.on('error', () => answer.destroy())
    asked.pipe(on)
  })
  await once(proxy.listen(at, '127.0.0.1'), 'listening')
  return proxy
}

/** A command of an agent, another one for each text. */
const command = (text: string) => [
  'run',
  'dev/worker',
  '--reason',
  text,
  '--',
  'sh',
  '-c',
  `: ${text}; echo $LOG_LEVEL`,
]

/*
 * A day of a developer with an agent, played with the real client on a hosted server: six starts of a dev server, three
 * tasks of twelve commands, one missing key, a command that the harness stops at lunch, and one signed migration.
 */
describe.skipIf(!hasBrowser())('a day with an agent', () => {
  let server: RunningServer
  let proxy: Awaited<ReturnType<typeof proxyTo>>
  let browser: Browser
  let page: WatchedPage
  let computer: Awaited<ReturnType<typeof agentComputer>>
  let workspace: string
  let approvals = 0

  beforeAll(async () => {
    const [port, at] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')]
    const site = `http://localhost:${at}`
    const env = { ...ACCOUNTS, PUBLIC_URL: site, TRUST_PROXY: '127.0.0.1' }
    ;[server, browser] = await Promise.all([startServer({ port, env }), sharedBrowser()])
    proxy = await proxyTo(port, at)
    computer = await agentComputer(site)
    const owner = await setUpOwner(server.url)
    const headers = sessionHeaders(site, owner)
    await createLibrary(server.url, undefined, headers)
    const allowed = await fetch(`${server.url}/api/v1/tenants/current/policy`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ folder: 'dev/', tasks: 'allow', agents: 'remember' }),
    })
    expect(allowed.status).toBe(200)
    const [own] = await createClient(server.url)('GET', '/api/v1/tenants', { headers })
    workspace = own?.id ?? ''
    page = await openPage(browser)
    await page.context().addCookies([{ ...owner, url: site }])
    for (const [name, transport] of [
      ['Stick', 'usb'],
      ['Phone', 'internal'],
    ] as const) {
      const authenticator = await addVirtualAuthenticator(page, { transport })
      await page.goto(`${site}/settings`)
      await confirmByOperator(server, await addApprovalKey(page, name))
      if (name === 'Stick') await authenticator.setPresent(false)
    }
    await page.goto(`${site}/rules`)
    await chooseRule(page, { label: 'How do we know it is them', place: 'prod/shop/' }, 'Signed A person')
    await page
      .getByRole('dialog', { name: 'Sign with your signing key' })
      .getByRole('button', { name: 'Sign' })
      .click()
    await page.getByText('How do we know it is them, prod/shop/: Signed.').waitFor()
  })
  afterAll(async () => {
    computer?.stopAll()
    proxy?.closeAllConnections()
    proxy?.close()
    await closePages(browser)
    await server?.dispose()
    await computer?.dispose()
  })

  /** A person says yes on the page that the client opened. */
  const approve = async (button: string | RegExp, choice?: string) => {
    await page.goto(await computer.next())
    await press(button, choice)
  }
  const press = async (button: string | RegExp, choice?: string) => {
    await readRequest(page)
    if (choice !== undefined) await page.getByRole('radio', { name: choice }).check()
    await pressArmed(page, button)
    approvals += 1
  }
  const folder = async (name: string) => {
    const path = join(computer.folder, name)
    await mkdir(path, { recursive: true })
    return path
  }
  type Run = ReturnType<typeof computer.run>
  const delivered = async (run: Run) => {
    expect(await run.ended(), run.output()).toEqual([0, null])
    expect(run.output()).toContain('info')
  }
  const unasked = async (run: Run) => {
    await delivered(run)
    expect(run.output()).not.toContain('approve at')
  }
  const task = async (name: string) => {
    const at = await folder(name)
    const first = computer.run(command(`${name} 1`), AGENT, at)
    await approve('Approve the task', 'the task, 30 minutes')
    await delivered(first)
    for (let count = 2; count <= 12; count += 1)
      await unasked(computer.run(command(`${name} ${count}`), AGENT, at))
    return at
  }

  test('takes nine approvals and loses nothing', async () => {
    const shop = await folder('shop')
    const dev = () => computer.run(['run', 'dev/worker', '--', 'sh', '-c', 'echo $LOG_LEVEL'], {}, shop)
    const morning = dev()
    await approve('Approve', 'this command again, 8 hours')
    await delivered(morning)
    await unasked(dev())

    await task('fix')
    await unasked(dev())
    const billing = await task('billing')

    const set = computer.run(
      [
        'set',
        'BILLING_KEY',
        '--bundle',
        'dev/worker',
        '--generate',
        '32',
        '--reason',
        'billing',
        '--workspace',
        workspace,
      ],
      AGENT,
      billing,
    )
    await approve(/^Store/)
    expect(await set.ended(), set.output()).toEqual([0, null])
    const next = computer.run(command('billing with its key'), AGENT, billing)
    await next.says('the keys of the bundle have changed')
    await approve('Approve the task', 'the task, 30 minutes')
    await delivered(next)
    for (let start = 0; start < 3; start += 1) await unaskedOrOnce(dev())

    const lunch = computer.run(command('lunch'), AGENT, shop)
    await lunch.says('if this stops, run the same command again')
    await page.goto(await computer.next())
    await readRequest(page)
    await lunch.stop('SIGTERM')
    await page.getByText(/^The command stopped at/).waitFor()
    await press('Once')
    await unasked(computer.run(command('lunch'), AGENT, shop))

    await task('docs')

    const migration = computer.run(['run', 'prod/shop/app', '--', 'printenv', 'STRIPE_SECRET_KEY'], {}, shop)
    await approve(/with your passkey/)
    expect(await migration.ended(), migration.output()).toEqual([0, null])
    expect(approvals).toBeLessThanOrEqual(9)
    process.stdout.write(`${approvals} approvals, nothing lost\n`)
  })
  // The dev server asks for all names, so after a new one it asks once more.
  const unaskedOrOnce = async (run: Run) => {
    const isAsked = run.says('approve at').then(() => true)
    if (await Promise.race([isAsked, run.ended().then(() => false)]))
      await approve('Approve', 'this command again, 8 hours')
    await delivered(run)
  }
})
