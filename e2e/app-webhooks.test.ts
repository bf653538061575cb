import { randomUUID } from 'node:crypto'
import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { closePage, expectAccessible, expectNoSidewaysScroll, openPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { clientIn } from './page-client.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

describe.skipIf(!hasBrowser())('the pages of webhooks', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let headers: Record<string, string>
  const receiver = new WebhookReceiver()

  beforeAll(async () => {
    await receiver.start()
    const env = { ...ACCOUNTS, ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' }
    ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
    cookie = await setUpOwner(server.url)
    headers = sessionHeaders(server.url, cookie)
    await createLibrary(server.url, undefined, headers)
  })

  afterAll(async () => {
    receiver.stop()
    await closePages(browser)
    await server?.dispose()
  })

  async function asOwner(path: string, width = 1280) {
    const page = await openPage(browser, { viewport: { width, height: 860 } })
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + path)
    return page
  }

  test('an owner creates a webhook, tests it, and gives it a new secret', async () => {
    const page = await asOwner('/settings/workspace')
    await page.getByText('None yet.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'New webhook' }).click()
    const create = page.getByRole('button', { name: 'Create webhook' })
    await create.click()
    await page.getByText('Give the whole address').waitFor()
    await page.getByLabel('Address').fill('https://10.0.0.1/hook')
    await create.click()
    await expect.poll(() => page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByLabel(/^The variables or values of a bundle changed/).check()
    await page.getByRole('combobox', { name: 'Add a bundle' }).fill('dev/app')
    await page.getByRole('option', { name: 'dev/app' }).click()
    await expectAccessible(page)
    page.once('dialog', (question) => void question.dismiss())
    await page.keyboard.press('Escape')
    await create.click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    expect(secret).toMatch(/^whsec_/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('Never called').waitFor()
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('answered 204').waitFor()
    await page.getByText('Works', { exact: true }).waitFor()
    const [call] = receiver.calls
    const sent = new Webhook(secret).verify(call?.body ?? '', call?.headers as Record<string, string>)
    expect(sent).toMatchObject({ type: 'webhook.test' })
    await page.getByText('What was sent').click()
    await page.getByText('"type": "webhook.test"').waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('button', { name: 'Create the new secret' }).click()
    const next = await page.getByLabel('Secret', { exact: true }).inputValue()
    expect(next).not.toBe(secret)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('signs too until').waitFor()
    await page.getByRole('button', { name: 'Send webhook.test again' }).click()
    await expect.poll(() => receiver.calls.length).toBe(2)
    expect(receiver.calls[1]?.headers['webhook-id']).toBe(call?.headers['webhook-id'])
    for (const each of [secret, next]) {
      const again = receiver.calls[1]
      expect(
        new Webhook(each).verify(again?.body ?? '', again?.headers as Record<string, string>),
      ).toBeTruthy()
    }

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Description').fill('restarts the app')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('restarts the app').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('None yet.').waitFor()
    await closePage(page)
  })

  test('a receiver that fails, and one that answers 410, are shown', async () => {
    const call = createClient(server.url)
    const { id } = await call('POST', '/api/v1/webhooks', {
      headers,
      body: { url: receiver.url, events: ['member.joined'] },
    })
    const page = await asOwner(`/settings/webhooks/${id}`, 360)
    receiver.status = 500
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('answered 500').waitFor()
    await page.getByText('Failing', { exact: true }).waitFor()
    await page.getByText('After 5 days of failures').waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    receiver.status = 410
    await page.getByRole('button', { name: 'Send webhook.test again' }).click()
    await page.getByText('The receiver answered 410').waitFor()
    expect(await page.getByRole('button', { name: 'Send test' }).count()).toBe(0)
    receiver.status = 204
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Delivered', { exact: true }).first().waitFor()
    await page.goto(`${server.url}/settings/workspace`)
    await page.getByText('member.joined').waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await closePage(page)
  })

  test('members are told that webhooks are for owners', async () => {
    const owner = await asOwner('/')
    const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', {
      body: { email: 'kim@example.com', role: 'member' },
    })
    await closePage(owner)
    const page = await openPage(browser)
    await page.goto(server.url + accept_path)
    await page.getByLabel('Password', { exact: true }).fill('a long enough pass phrase')
    await page.getByRole('button', { name: 'Create the account and join' }).click()
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
    await page.goto(`${server.url}/settings/workspace`)
    await page.getByText('An owner can rename it.').waitFor()
    expect(await page.getByRole('region', { name: 'Webhooks' }).count()).toBe(0)
    await page.goto(`${server.url}/settings/webhooks/${randomUUID()}`)
    await page.getByText('Only owners of the workspace see its webhooks.').waitFor()
    await expectAccessible(page)
    await closePage(page)
  })
})
