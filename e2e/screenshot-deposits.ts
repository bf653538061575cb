import type { Page } from 'playwright-core'
import { ACCOUNTS, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { readRequest } from './app-page.ts'
import { type Deposited, type Depositing, Depositor } from './depositor.ts'
import type { Shot, World } from './shot.ts'
import { startServer } from './start-server.ts'

const MANY = 1_000

const VALUES: Deposited = {
  DATABASE_URL: 'planted-new-database',
  LOG_LEVEL: ['debug', false],
  PORT: ['4000', false],
  NEW_TOKEN: 'planted-token',
  NPM_TOKEN: 'planted-npm_token',
}

/** The pages of deposits: plans of each kind, what asks twice, and how each ends. */
export async function depositShots(): Promise<World> {
  const server = await startServer({ env: { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' } })
  const { url } = server
  const cookie = await setUpOwner(url)
  const headers = sessionHeaders(url, cookie)
  await createLibrary(url, undefined, headers)

  function deposit(bundle: string, values: Deposited, options: Depositing, after?: After) {
    return async (page: Page) => {
      const terminal = new Depositor(url)
      const request = await terminal.deposit(bundle, values, options)
      await page.context().addCookies([{ ...cookie, url }])
      await page.goto(url + request.path)
      await page
        .getByText(/^Loading/)
        .first()
        .waitFor({ state: 'detached' })
      await after?.({ page, terminal, id: request.id })
    }
  }

  const many = Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`SETTING_${n}`, `planted-${n}`]))
  let taken = 0
  const storing = (bundle: string) => deposit(bundle, { MADE: 'planted-1' }, {}, done)
  const list: Shot[] = [
    { name: 'deposit-plan', show: deposit('dev/app', VALUES, { detach: ['SESSION_SECRET'] }) },
    { name: 'deposit-plan-rows', show: deposit('dev/app', VALUES, { detach: ['SESSION_SECRET'] }, toRows) },
    { name: 'deposit-elsewhere', show: deposit('dev/new', CHANGED, { replace: ['STRIPE_SECRET_KEY'] }) },
    {
      name: 'deposit-confirm',
      show: deposit('dev/new', CHANGED, { replace: ['STRIPE_SECRET_KEY'] }, approve),
    },
    { name: 'deposit-production', show: deposit('prod/shop/mail', {}, { detach: ['SMTP_PASSWORD'] }) },
    { name: 'deposit-unknown-name', show: deposit('dev/worker', {}, { detach: ['NOT_HERE'] }) },
    { name: 'deposit-code', show: deposit('dev/worker', { QUEUE: ['jobs', false] }, {}, approve) },
    { name: 'deposit-done', show: async (page) => await storing(`dev/done-${++taken}`)(page) },
    { name: 'deposit-denied', show: deposit('dev/app', VALUES, {}, deny) },
    { name: 'deposit-many', show: deposit('dev/many', many, {}) },
  ]
  return { list, servers: [server] }
}

const CHANGED: Deposited = { STRIPE_SECRET_KEY: 'planted-evil' }

type After = (open: { page: Page; terminal: Depositor; id: string }) => Promise<void>

const toRows: After = async ({ page }) =>
  await page.getByRole('list', { name: 'Variables' }).scrollIntoViewIfNeeded()

const approve: After = async ({ page }) => {
  await readRequest(page)
  await page.getByRole('button', { name: /^(Store|Remove) \d/ }).click()
  await page
    .getByRole('dialog')
    .or(page.getByText(/^\d{3} \d{3}$/))
    .waitFor()
}

const done: After = async ({ page, terminal, id }) => {
  await approve({ page, terminal, id })
  await terminal.release(id, await page.getByText(/^\d{3} \d{3}$/).innerText())
  await terminal.wait(id)
  await page.getByText('The terminal shows the result').waitFor()
}

const deny: After = async ({ page }) => {
  await readRequest(page)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('heading', { name: 'Denied' }).waitFor()
}
