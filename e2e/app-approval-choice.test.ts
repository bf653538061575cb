import { createClient, type EndpointClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, OWNER, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { type Asking, askApproval, createLibrary, LIBRARY, type LibraryKey } from './app-library.ts'
import {
  APPROVE,
  closePage,
  expectAccessible,
  openChoice,
  openKeys,
  openPage,
  readRequest,
  typeCheckCode,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { Depositor } from './depositor.ts'
import { type RunningServer, startServer } from './start-server.ts'

const ACME = 'Acme'

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const approve = (page: Page) => page.getByRole('button', { name: /^Approve|: approve/ })
const confirmation = (page: Page) => page.getByRole('dialog', { name: 'Approve anyway?' })

const LONG: readonly LibraryKey[] = Array.from({ length: 40 }, (_, index) => ({
  name: `LONG_${index}`,
  value: 'planted',
  is_secret: true,
}))

describe.skipIf(!hasBrowser())('what an approver shares, and from where', () => {
  let server: RunningServer
  let browser: Browser
  let session: { name: string; value: string }
  let acme: string
  let call: EndpointClient

  beforeAll(async () => {
    const env = { TRUST_PROXY: '127.0.0.1', ...ACCOUNTS }
    ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
    session = await setUpOwner(server.url)
    const headers = sessionHeaders(server.url, session)
    await createLibrary(server.url, LIBRARY, headers)
    call = createClient(server.url, (input, init) =>
      fetch(input, { ...init, headers: Object.assign({}, init?.headers, headers) }),
    )
    const { id } = await call('POST', '/api/v1/tenants', { body: { name: ACME } })
    acme = id
    const there = { ...headers, 'keyferry-workspace': acme }
    await createLibrary(
      server.url,
      [
        { name: 'dev/app', keys: [{ name: 'ACME_TOKEN', value: 'planted', is_secret: true }] },
        { name: 'acme/only', keys: [{ name: 'ACME_TOKEN2', value: 'planted', is_secret: true }] },
        { name: 'acme/long', keys: LONG },
      ],
      there,
    )
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function open(asking: Asking) {
    const request = await askApproval(server.url, asking)
    const page = await openPage(browser)
    await page.context().addCookies([{ ...session, url: server.url }])
    await page.goto(server.url + request.verification_uri_complete)
    await readRequest(page)
    await typeCheckCode(page, request.user_code)
    return { page, request }
  }

  async function delivered(id: string) {
    const params = { request_id: id }
    return await createClient(server.url)('GET', '/api/v1/requests/{request_id}/wait', { params })
  }

  test('account and workspace are named beside the buttons', async () => {
    const { page } = await open({ bundle: 'acme/only' })
    await page.getByText(`You are ${OWNER.email} in ${ACME}`).waitFor()
    await closePage(page)
  })

  test('a bundle of one other workspace is found there, and approved from there', async () => {
    const { page, request } = await open({ bundle: 'acme/only' })
    await page.getByRole('button', { name: APPROVE }).click()
    await title(page, 'Approved').waitFor()
    expect(await delivered(request.id)).toMatchObject({
      status: 'ready',
      workspace: { id: acme, name: ACME },
      bundle: { name: 'acme/only' },
    })
    const href = await page.getByRole('link', { name: 'acme/only' }).getAttribute('href')
    expect(href).toMatch(new RegExp(`^/w/${acme}/bundles/[0-9a-f-]{36}$`))
    await closePage(page)
  })

  test('a bundle of two workspaces: the person chooses, and nothing is chosen before', async () => {
    const { page, request } = await open({ bundle: 'dev/app' })
    await page.getByText('dev/app is in 2 of your workspaces').waitFor()
    expect(await page.getByLabel('Workspace').inputValue()).toBe('')
    await expectAccessible(page)
    await approve(page).click()
    await page.getByRole('alert').getByText('Choose a workspace first.').waitFor()
    await page.getByLabel('Workspace').selectOption(ACME)
    await page.getByRole('button', { name: APPROVE }).click()
    await title(page, 'Approved').waitFor()
    expect(await delivered(request.id)).toMatchObject({ workspace: { name: ACME } })
    await closePage(page)
  })

  test('a new bundle: the person chooses the workspace, which is said before it is stored', async () => {
    const { path } = await new Depositor(server.url).deposit('dev/fresh', { PORT: '80' })
    const page = await openPage(browser)
    await page.context().addCookies([{ ...session, url: server.url }])
    await page.goto(server.url + path)
    await page.getByText('Choose a workspace to see the plan.').waitFor()
    expect(await page.getByLabel('Workspace').inputValue()).toBe('')
    await page.getByLabel('Workspace').selectOption(ACME)
    await page.getByRole('list', { name: 'Variables' }).waitFor()
    await page.getByText(`You are ${OWNER.email} in ${ACME}`).waitFor()
    await closePage(page)
  })

  test('two workspaces with one name show the end of their ids', async () => {
    const rename = (name: string) =>
      call('PUT', '/api/v1/tenants/{tenant_id}', { params: { tenant_id: acme }, body: { name } })
    const own = (await call('GET', '/api/v1/tenants')).find(({ id }) => id !== acme)
    await rename(own?.name ?? '')
    const { page } = await open({ bundle: 'acme/only' })
    await openChoice(page)
    const shown = `${own?.name} (${acme.slice(-8)})`
    const options = await page.getByLabel('Workspace').locator('option').allInnerTexts()
    expect(options.toSorted()).toEqual([shown, `${own?.name} (${own?.id.slice(-8)})`].toSorted())
    await page.getByText(`You are ${OWNER.email} in ${shown}`).waitFor()
    await closePage(page)
    await rename(ACME)
  })

  test('the workspace that the terminal names narrows the choice and is shown', async () => {
    const { page } = await open({ bundle: 'dev/app', workspace: ACME })
    await page.getByText(`You are ${OWNER.email} in ${ACME}`).waitFor()
    await openChoice(page)
    await page.getByLabel('Workspace').selectOption({ index: 1 })
    await page.getByText(`The terminal named the workspace ${ACME}`).waitFor()
    await closePage(page)
  })

  test('a workspace without bundles: the import leads to that workspace', async () => {
    const response = await fetch(`${server.url}/api/v1/tenants`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sessionHeaders(server.url, session) },
      body: JSON.stringify({ name: 'Empty' }),
    })
    expect(response.status).toBe(201)
    const { page } = await open({})
    await page.getByLabel('Workspace').selectOption('Empty')
    const href = await page.getByRole('link', { name: 'Import in the browser' }).getAttribute('href')
    const id = await page.getByLabel('Workspace').inputValue()
    expect(href).toBe(`/w/${id}/bundles/import`)
    await closePage(page)
  })

  test('another bundle than the one requested is named before the click, and asked about', async () => {
    const { page, request } = await open({ bundle: 'acme/only', flags: ['run', '--any-bundle'] })
    await openChoice(page)
    await page.getByRole('combobox', { name: 'Bundle' }).fill('dev')
    await page.getByRole('option', { name: 'dev/app' }).click()
    await page
      .getByRole('alert')
      .getByText('The terminal requested acme/only, but you chose dev/app.')
      .waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByText('you chose dev/app.').waitFor()
    await readRequest(page)
    await typeCheckCode(page, request.user_code)
    await page.getByRole('button', { name: APPROVE }).click()
    await confirmation(page).getByText('You are about to share dev/app').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await confirmation(page).waitFor({ state: 'detached' })
    const context = await call('GET', '/api/v1/requests/{request_id}/context', {
      params: { request_id: request.id },
    })
    expect(context.status).toBe('pending')
    await closePage(page)
  })

  test('a required key is left out only after a second confirmation, and the terminal reports it', async () => {
    const { page, request } = await open({ bundle: 'prod/shop/mail' })
    await openKeys(page)
    await page.getByRole('checkbox', { name: 'SMTP_PASSWORD' }).uncheck()
    await page.getByRole('button', { name: 'Approve for PRODUCTION' }).click()
    await confirmation(page).getByText('Required, but not selected: SMTP_PASSWORD.').waitFor()
    await confirmation(page).getByRole('button', { name: 'Approve anyway' }).click()
    await title(page, 'Approved').waitFor()
    expect(await delivered(request.id)).toMatchObject({ missing_required: ['SMTP_PASSWORD'] })
    await closePage(page)
  })

  test('keys are one line that opens', async () => {
    const { page } = await open({ bundle: 'acme/long', keys: LONG.map(({ name }) => name) })
    await page.getByRole('button', { name: APPROVE }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.getByText('40 variables, your first approval of this bundle').click()
    await page.getByRole('checkbox').first().uncheck()
    await page.getByText('39 of 40 variables, ').waitFor()
    await page.reload()
    await page.getByText('39 of 40 variables, ').waitFor()
    await closePage(page)
  })
})
