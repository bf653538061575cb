import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApproval } from './app-library.ts'
import { APPROVE, closePage, expectAccessible, openPage, pressArmed, readRequest } from './app-page.ts'
import { type BoundTerminals, openBoundTerminals } from './bound-terminals.ts'
import { hasBrowser } from './browser.ts'
import { hasTerminal } from './terminal.ts'

// As git makes them.
async function gitWorktrees(folder: string) {
  const [main, linked] = [join(folder, 'main'), join(folder, 'linked')]
  const data = join(main, '.git/worktrees/linked')
  await Promise.all([data, linked].map((path) => mkdir(path, { recursive: true })))
  await writeFile(join(linked, '.git'), `gitdir: ${data}\n`)
  await writeFile(join(data, 'commondir'), '../..\n')
  await writeFile(join(data, 'gitdir'), `${join(linked, '.git')}\n`)
  return { main, linked }
}

describe.skipIf(!hasBrowser() || !hasTerminal())('an approval returns to the terminal', () => {
  let world: BoundTerminals
  let server: BoundTerminals['server']
  let browser: BoundTerminals['browser']
  let folder: string
  let opened: BoundTerminals['opened']

  beforeAll(async () => {
    world = await openBoundTerminals()
    ;({ server, browser, folder, opened } = world)
  })
  afterAll(async () => await world?.close())

  test('over loopback: one click, and the page that comes back says that it was delivered', async () => {
    const output = join(folder, 'loopback.json')
    const terminal = world.client(['pull', 'dev/app', '--format', 'json', '--output', output], {
      opens: true,
    })
    const page = await world.signedIn()
    await page.goto(await opened.next())
    await readRequest(page)
    expect(new URL(page.url()).hash).toBe('')
    await page.getByText('Only this computer gets the values').waitFor()
    expect(await page.getByRole('region', { name: 'Check code' }).count()).toBe(0)
    await expectAccessible(page)
    await pressArmed(page, APPROVE)
    expect(await terminal.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    await page.getByText('6 variables from').waitFor()
    expect(page.url()).toMatch(new RegExp(`^${server.url}/approve/[0-9a-f]{32}$`))
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({ DATABASE_URL: 'planted-database_url' })
    await expectAccessible(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    await closePage(page)
  })

  test('a mistyped bundle: the page offers the one that was meant, and nothing that the client refuses', async () => {
    const terminal = world.client(['run', 'dev/wrker', '--', 'npm', 'start'], { opens: true })
    const page = await world.signedIn()
    await page.goto(await opened.next())
    await page.getByText('Did you mean dev/worker?').waitFor()
    await page.getByText('keyferry run dev/worker -- npm start').waitFor()
    expect(await page.getByRole('combobox').count()).toBe(0)
    await readRequest(page)
    await page.getByRole('button', { name: 'Deny' }).click()
    expect(await terminal.exit).not.toBe(0)
    expect(terminal.output()).toContain('denied')
    await closePage(page)
  })

  test('remembered for hours: the command starts again without a question, until it is revoked', async () => {
    const command = ['run', 'dev/worker', '--', 'true']
    const first = world.client(command, { opens: true })
    const page = await world.signedIn()
    await page.goto(await opened.next())
    await readRequest(page)
    await page.getByRole('radio', { name: 'this command again, 8 hours' }).check()
    await expectAccessible(page)
    await pressArmed(page, APPROVE)
    expect(await first.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    expect(await world.client(command, { opens: false }).exit).toBe(0)
    await page.goto(`${server.url}/settings`)
    await page.getByText('Used 1 time').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Revoke dev/worker' }).click()
    await page.getByText('None in this workspace.').waitFor()
    const asksAgain = world.client(command, { opens: false })
    await asksAgain.appears(/\/a\/[\w-]{22}/)
    await closePage(page)
  })

  test('remembered for a repository: the command starts in another worktree without a question', async () => {
    const trees = await gitWorktrees(folder)
    const command = ['run', 'dev/worker', '--reason', 'worktrees', '--', 'true', 'worktrees']
    const first = world.client(command, { opens: true, cwd: trees.linked })
    const page = await world.signedIn()
    await page.goto(await opened.next())
    await readRequest(page)
    expect(await page.getByText('git worktrees').count()).toBe(0)
    await page.getByRole('radio', { name: 'this command again, 8 hours' }).check()
    const box = page.getByRole('checkbox', { name: `In all git worktrees of ${trees.main}` })
    expect(await box.isChecked()).toBe(false)
    await box.check()
    await page.getByText('All branches, also a stranger’s').waitFor()
    await expectAccessible(page)
    await pressArmed(page, APPROVE)
    expect(await first.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    expect(await world.client(command, { opens: false, cwd: trees.main }).exit).toBe(0)
    const elsewhere = world.client(command, { opens: false })
    await elsewhere.appears(/the folder differs/)
    await page.goto(`${server.url}/settings`)
    await page.getByText('in all git worktrees').waitFor()
    await closePage(page)
  })

  test('values that the bundle lacks are typed at the approval: one used once, one stored', async () => {
    const output = join(folder, 'typed.json')
    const names = 'DATABASE_URL,STRIPE_KEY,SENTRY_DSN'
    const command = ['pull', 'dev/app', '--keys', names, '--format', 'json', '--output', output]
    const terminal = world.client(command, { opens: true })
    const page = await world.signedIn()
    await page.goto(await opened.next())
    await readRequest(page)
    await page.getByText('Requested, but not in this bundle: STRIPE_KEY').waitFor()
    const again = page.getByRole('radio', { name: /^this command again/ })
    expect(await again.count()).toBe(1)
    await page.getByRole('button', { name: 'Type its value' }).first().click()
    await page.getByText('which asked for it').waitFor()
    await page.getByRole('button', { name: 'Type it anyway' }).click()
    await page.getByLabel('Value of STRIPE_KEY').fill('sk_once')
    expect(await again.count()).toBe(0)
    await page.getByRole('button', { name: 'Type its value' }).click()
    await page.getByRole('button', { name: 'Type it anyway' }).click()
    await page.getByLabel('Value of SENTRY_DSN').fill('https://dsn')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Store it in dev/app' }).last().click()
    await page.getByLabel('Value of SENTRY_DSN').waitFor({ state: 'detached' })
    await page.getByText('2 variables,').waitFor()
    await readRequest(page)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    expect(await terminal.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    expect(JSON.parse(await readFile(output, 'utf8'))).toEqual({
      DATABASE_URL: 'planted-database_url',
      STRIPE_KEY: 'sk_once',
      SENTRY_DSN: 'https://dsn',
    })
    await closePage(page)
  })

  test('the way back outlives a reload and a sign-in', async () => {
    const terminal = world.client(['run', 'dev/app', '--', 'true'], { opens: true })
    const page = await openPage(browser)
    await page.goto(await opened.next())
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('E-mail').fill('sam@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await readRequest(page)
    await page.reload()
    await readRequest(page)
    await pressArmed(page, APPROVE)
    expect(await terminal.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    await closePage(page)
  })

  test('by a code: typed into the terminal that waits', async () => {
    const output = join(folder, 'code.json')
    const terminal = world.client(['pull', 'dev/app', '--format', 'json', '--output', output], {
      opens: false,
    })
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    const page = await world.signedIn()
    await page.goto(link)
    await readRequest(page)
    await page.getByText('Then you type a code into your terminal.').waitFor()
    await pressArmed(page, APPROVE)
    await page.getByRole('heading', { name: 'Type this code into your terminal' }).waitFor()
    await expectAccessible(page)
    const code = await page.locator('p.text-code').innerText()
    await terminal.appears(/six digits from the page: /)
    terminal.type(`${code}\n`)
    expect(await terminal.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({ PORT: '3000' })
    await closePage(page)
  })

  test('a page that is loaded again gets a fresh code', async () => {
    const terminal = world.client(['run', 'dev/app', '--', 'true'], { opens: false })
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    const page = await world.signedIn()
    await page.goto(link)
    await readRequest(page)
    await pressArmed(page, APPROVE)
    await page.getByRole('heading', { name: 'Type this code into your terminal' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Waiting for a code' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Get a code' }).click()
    const code = await page.locator('p.text-code').innerText()
    await terminal.appears(/six digits from the page: /)
    terminal.type(`${code}\n`)
    expect(await terminal.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    await closePage(page)
  })

  test('a port without a listener gets nothing; the page offers a code, and Deny', async () => {
    const release = ['loopback', 'code'] as const
    const verifier = generatePollVerifier()
    const request = await askApproval(server.url, { bundle: 'dev/app', release, verifier })
    const page = await world.signedIn()
    const link = server.url + request.verification_uri_complete
    await page.goto(`${link}#lb=${await freePort('127.0.0.1')}.${'A'.repeat(43)}`)
    await readRequest(page)
    const unreached = page.waitForEvent('requestfailed', (sent) => sent.method() === 'POST')
    await pressArmed(page, APPROVE)
    expect(new URL((await unreached).url()).pathname).toBe(`/r/${'A'.repeat(43)}`)
    await expect.poll(() => page.url()).toMatch(/^chrome-error:/)
    await page.goto(link)
    await page.getByRole('heading', { name: 'Your browser could not reach the program' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Get a code' }).click()
    await page.getByRole('heading', { name: 'Type this code into your terminal' }).waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    await closePage(page)
  })

  test('a client that takes no approval back is refused before the click', async () => {
    const { verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app' })
    const page = await world.signedIn()
    await page.goto(server.url + verification_uri_complete)
    await readRequest(page)
    await page.getByText('You cannot approve this.').waitFor()
    await page.getByText('only to a client that takes the approval back').waitFor()
    expect(await page.getByRole('button', { name: /^Approve|: approve/ }).count()).toBe(0)
    await expectAccessible(page)
    await closePage(page)
  })
})
