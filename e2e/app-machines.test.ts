import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Issuer } from '../api/test/issuer.ts'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  inDialog,
  openPage,
  pickFromMenu,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { createMachine, fetchAsMachine } from './machine-calls.ts'
import { clientIn } from './page-client.ts'
import { type RunningServer, startServer } from './start-server.ts'

const MEMBER = 'kim@example.com'
/** What a server without PUBLIC_URL expects. */
const AUDIENCE = 'keyferry'

describe.skipIf(!hasBrowser())('the pages of machines', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let headers: Record<string, string>
  let bundles: ReadonlyMap<string, string>
  const issuer = new Issuer()

  beforeAll(async () => {
    const env = { ...ACCOUNTS, ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' }
    await issuer.start()
    ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
    cookie = await setUpOwner(server.url)
    headers = sessionHeaders(server.url, cookie)
    bundles = (await createLibrary(server.url, undefined, headers)).bundles
  })

  afterAll(async () => {
    issuer.stop()
    await closePages(browser)
    await server?.dispose()
  })

  const bundleId = (name: string) => bundles.get(name) ?? ''

  async function asOwner(path: string, width = 1280) {
    const page = await openPage(browser, { viewport: { width, height: 860 } })
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + path)
    return page
  }

  const idToken = (sub: string) => () => {
    const iat = Math.floor(Date.now() / 1_000)
    return issuer.sign({ iss: issuer.url, aud: AUDIENCE, sub, iat, exp: iat + 300 })
  }

  test('a server gets a token, which is shown once, and fetches with it', async () => {
    const page = await asOwner('/machines')
    await page.getByRole('heading', { name: 'No machines yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'A token from Keyferry' }).click()
    await page.getByRole('button', { name: 'Create machine' }).click()
    await page.getByText('Give the machine a name.').waitFor()
    await page.getByLabel('Name').fill('billing service')
    await page.getByRole('button', { name: 'Create machine' }).click()
    await page.getByText('Use only letters').waitFor()
    await page.getByLabel('Name').fill('billing-service')
    await page.getByRole('button', { name: 'Create machine' }).click()

    await page.getByLabel('Only from these networks').fill('10.0.0.0/8 anywhere')
    await inDialog(page, 'Create token').click()
    await page.getByText('Networks must hold addresses').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Expires after days').fill('400')
    await page.getByLabel('Only from these networks').fill('127.0.0.1')
    await inDialog(page, 'Create token').click()
    await page.getByText('Use 1 to 366 days.').waitFor()
    await page.getByLabel('Expires after days').fill('10')
    await inDialog(page, 'Create token').click()
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(token).toMatch(/^kfm_[0-9A-Za-z]{49}$/)
    await expectAccessible(page)
    page.once('dialog', (question) => void question.dismiss())
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.content()).not.toContain(token)
    expect(page.url()).not.toContain('kfm_')

    await page.getByText('No bundles. It cannot fetch values.').waitFor()
    await page.getByRole('button', { name: 'Add bundle' }).click()
    await page.getByRole('combobox', { name: 'Bundle' }).fill('shop/mail')
    await page.getByRole('option', { name: 'prod/shop/mail' }).waitFor()
    // As when another window takes the focus for a moment: the list stays open.
    await page.getByRole('combobox', { name: 'Bundle' }).dispatchEvent('focusout')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Bundle' }).inputValue())
      .toBe('prod/shop/mail')
    await inDialog(page, 'Add bundle').click()
    await page.getByRole('combobox', { name: 'What it may do with prod/shop/mail' }).waitFor()
    const wish = { bundle: 'prod/shop/mail', credential: token }
    expect(await fetchAsMachine(server.url, wish)).toEqual(['SMTP_PASSWORD', 'SMTP_HOST'])
    await page.reload()
    await page.getByText('last delivery just now').waitFor()
    await page.getByText('only from 127.0.0.1/32').waitFor()
    // A new token is due halfway through a life of ten days.
    expect(await page.getByText('Token expires.', { exact: true }).count()).toBe(0)

    await page.getByRole('button', { name: /^Rotate the token/ }).click()
    await page.getByRole('button', { name: 'Create the new token' }).click()
    const next = await page.getByLabel('Token', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await expect.poll(() => page.getByRole('button', { name: /^End the token/ }).count()).toBe(2)
    expect(await fetchAsMachine(server.url, { ...wish, credential: next })).toHaveLength(2)
    await page
      .getByRole('button', { name: /^End the token/ })
      .last()
      .click()
    await page.getByRole('button', { name: 'End token', exact: true }).click()
    await page.getByText('Ended', { exact: true }).waitFor()
    expect(await fetchAsMachine(server.url, wish)).toBe('token_ended')
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled. The server refuses').waitFor()
    expect(await fetchAsMachine(server.url, { ...wish, credential: next })).toBe('machine_inactive')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()

    await page.getByRole('link', { name: 'prod/shop/mail' }).click()
    await pickFromMenu(page, 'prod/shop/mail', 'Machines')
    await page.getByText('These machines use the bundle').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: /billing-service/ }).click()
    await page.getByRole('link', { name: 'Job file' }).click()
    await page.getByText('keyferry run --as machine prod/shop/mail -- ./server').waitFor()
    await page.getByLabel('How it authenticates').selectOption('GitHub Actions')
    await page.getByText('has no identity of GitHub Actions yet').waitFor()
    await page.getByText('.github/actions/keyferry/action.yml').click()
    await page.getByText('The client requests an ID token').waitFor()
    await expectAccessible(page)

    await page.getByRole('link', { name: 'Activity' }).last().click()
    await page.getByText('got 2 values of').first().waitFor()
    await page.getByLabel('Show').selectOption('changes')
    await page.getByText('created the machine').waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('a job that knocks is recognised and allowed, and then gets its values', async () => {
    const id = await createMachine(
      server.url,
      { name: 'deploy', bundleId: bundleId('prod/shop/mail') },
      headers,
    )
    const page = await asOwner(`/machines/${id}?add=other`)
    await page.getByLabel('Issuer', { exact: true }).fill(issuer.url)
    await inDialog(page, 'Add identity').click()
    await page.getByText('Name the subject').waitFor()
    await page.getByLabel('Subject').fill('another-job')
    await inDialog(page, 'Add identity').click()
    await page.getByText('sub=another-job').waitFor()
    const identity = page.getByRole('listitem').filter({ hasText: 'sub=another-job' })
    expect(await identity.innerText()).toMatch(/^never used, added [^·]* · audience [^·]*$/m)

    const wish = { bundle: 'prod/shop/mail', machineId: id }
    const nightly = { ...wish, credential: idToken('nightly') }
    expect(await fetchAsMachine(server.url, nightly)).toBe('identity_not_trusted')
    expect(await fetchAsMachine(server.url, { ...wish, credential: idToken('stranger') })).toBe(
      'identity_not_trusted',
    )
    await page.getByText('refused: sub differs').first().waitFor()
    await expectAccessible(page)
    const knock = page.getByRole('listitem').filter({ hasText: 'nightly' })
    await expect.poll(() => knock.getByRole('checkbox', { name: 'sub nightly' }).isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Dismiss stranger' }).click()
    await page.getByText('stranger').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Allow nightly' }).click()
    await page.getByText('sub=nightly').waitFor()
    await page.getByRole('heading', { name: 'Refused calls' }).waitFor({ state: 'detached' })
    expect(await fetchAsMachine(server.url, nightly)).toEqual(['SMTP_PASSWORD', 'SMTP_HOST'])

    await page.getByRole('button', { name: /^End the identity .* sub=another-job$/ }).click()
    await page.getByRole('button', { name: 'End identity' }).click()
    await page.getByText('sub=another-job').waitFor({ state: 'detached' })
    await closePage(page)
  })

  test('an identity that is not specific is refused beside its field', async () => {
    const id = await createMachine(server.url, { name: 'web' }, headers)
    const page = await asOwner(`/machines/${id}?add=github`)
    const add = page.getByRole('button', { name: 'Add identity' }).last()
    await page.getByLabel('Repository id').fill('acme/web')
    await add.click()
    await page.getByText('Give the number, not the name.').waitFor()
    await page.getByLabel('Repository id').fill('789')
    await add.click()
    await page.getByText('Name the environment, or the branch').waitFor()
    expect(await page.getByLabel('Environment').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Allow it even though it is not specific').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Branch or tag').fill('main')
    page.once('dialog', (question) => void question.dismiss())
    await page.keyboard.press('Escape')
    await add.click()
    await page.getByText('repository_id=789 · ref=refs/heads/main').waitFor()
    await page.getByText('Bound to the client').waitFor()
    // The dialog has a button of the same name, and closes when the new list is there.
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Add identity' }).click()
    await page.getByLabel('Platform').selectOption('kubernetes')
    await page.getByLabel('Namespace').fill('prod')
    await page.getByLabel('Service account').fill('billing')
    await page.getByLabel('Issuer of the cluster').fill('https://10.0.0.1')
    await add.click()
    await page
      .getByRole('alert')
      .filter({ hasText: 'Is not allowed' })
      .or(page.locator('[aria-invalid="true"]'))
      .first()
      .waitFor()
    await page.getByLabel('Key set').fill(JSON.stringify({ keys: [{ kty: 'RSA', d: 'private' }] }))
    await add.click()
    await page.getByText('This key set has private keys.').waitFor()
    await page.getByLabel('Key set').fill(JSON.stringify(issuer.jwks))
    await add.click()
    await page.getByText('sub=system:serviceaccount:prod:billing').waitFor()
    await page.getByText('Pasted keys').waitFor()
    await closePage(page)
  })

  test('a job of a pull request is said to be dangerous', async () => {
    const id = await createMachine(server.url, { name: 'pull', bundleId: bundleId('dev/app') }, headers)
    const github = 'https://token.actions.githubusercontent.com'
    const claims = { repository_id: ['1'], ref: ['refs/heads/main'] }
    await createClient(server.url)('POST', '/api/v1/machines/{machine_id}/trusts', {
      headers,
      params: { machine_id: id },
      body: {
        issuer: github,
        claims,
        keys: issuer.jwks,
        binding: 'possible',
        networks: ['127.0.0.0/8'],
        max_age_seconds: 600,
      },
    })
    const iat = Math.floor(Date.now() / 1_000)
    const job = { repository: 'acme/web', repository_id: 789, ref: 'refs/pull/7/merge', sub: 'any' }
    const credential = () =>
      issuer.sign({ ...job, event_name: 'pull_request', iss: github, aud: AUDIENCE, iat, exp: iat + 300 })
    const wish = { bundle: 'dev/app', machineId: id, credential }
    expect(await fetchAsMachine(server.url, wish)).toBe('identity_not_trusted')

    const list = await asOwner('/machines')
    await list.getByText('pull was refused').waitFor()
    // A job of a pull request is allowed on its own page only, where the danger is said.
    expect(await list.getByRole('button', { name: /^Allow/ }).count()).toBe(0)
    await expectAccessible(list)
    await list.getByRole('link', { name: 'Show', exact: true }).click()
    await list.getByText('acme/web (id 789) · refs/pull/7/merge').waitFor()
    await list.getByText(/ · only from 127\.0\.0\.0\/8 · tokens up to 600 seconds old$/).waitFor()
    await list.getByText('This job ran for a pull request.').waitFor()
    await list.getByRole('checkbox', { name: 'ref refs/pull/7/merge' }).uncheck()
    await list.getByText('Without an environment or a branch').waitFor()
    await list.getByRole('button', { name: /^Allow/ }).click()
    await list.getByText('The trust is too broad').waitFor()
    await list.getByLabel('Allow it even though it is not specific').check()
    await list.getByRole('button', { name: /^Allow/ }).click()
    await list.getByText('Broad identity.').waitFor()
    await expectAccessible(list)
    await closePage(list)
  })

  test('the list shows what needs attention, and fits a phone', async () => {
    const page = await asOwner('/bundles', 360)
    await createMachine(
      server.url,
      { name: 'a/machine-with-a-very-long-name-that-has-no-end-on-a-phone', description: 'nightly export' },
      headers,
    )
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
    // A busy machine can take longer between the letters than the page allows.
    await expect
      .poll(async () => {
        await page.keyboard.press('g')
        await page.keyboard.press('m')
        return page.url()
      })
      .toContain('/machines')
    await page.getByText('Cannot sign in').first().waitFor()
    await expectNoSidewaysScroll(page)
    await page.keyboard.press('/')
    await page.keyboard.type('nightly')
    expect(await page.getByLabel('Search machines').inputValue()).toBe('nightly')
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1)
    await page.getByRole('listitem').getByRole('link').click()
    await page.getByText('It has no way to prove itself.').waitFor()
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('export')
    await page.getByLabel('May read the audit log').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('may read the audit log').waitFor()
    await page.getByRole('heading', { name: 'export', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    // The dialog ends in a list while it does not know that the machine was given nothing.
    await page.getByText('It has received no current value.').waitFor()
    await inDialog(page, 'Delete machine').click()
    await page.getByText('Deleted export.').waitFor()
    await closePage(page)
  })

  test('an owner learns which current values a deleted machine was given', async () => {
    const id = await createMachine(server.url, { name: 'gone', bundleId: bundleId('ci') }, headers)
    const { token } = await createClient(server.url)('POST', '/api/v1/machines/{machine_id}/tokens', {
      headers,
      params: { machine_id: id },
      body: {},
    })
    expect(await fetchAsMachine(server.url, { bundle: 'ci', credential: token })).toEqual(['NPM_TOKEN'])
    const page = await asOwner(`/machines/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('It has received 1 current value.').waitFor()
    await page.getByRole('button', { name: 'Delete machine' }).click()
    await page.getByRole('list', { name: 'Values that were given' }).getByText('NPM').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor()
    await page.goto(`${server.url}/machines/${id}`)
    await page.getByRole('heading', { name: 'Machine not found' }).waitFor()
    await closePage(page)
  })

  test('a page says when it shows an earlier state', async () => {
    const id = await createMachine(server.url, { name: 'stale' }, headers)
    const page = await asOwner(`/machines/${id}`)
    await page.getByRole('heading', { name: 'Tokens' }).waitFor()
    await page.route(`**/api/v1/machines/${id}`, (route) => route.fulfill({ status: 500, body: '{}' }))
    await page.getByRole('button', { name: 'Add bundle' }).click()
    await page.getByRole('combobox', { name: 'Bundle' }).fill('dev/app')
    await page.getByRole('option', { name: 'dev/app' }).click()
    await inDialog(page, 'Add bundle').click()
    await page.getByText('This page shows an earlier state.').waitFor()
    await expectAccessible(page)
    await page.unroute(`**/api/v1/machines/${id}`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This page shows an earlier state.').waitFor({ state: 'detached' })
    await page.route('**/api/v1/machines?*', (route) => route.fulfill({ status: 500, body: '{}' }))
    await page.goto(`${server.url}/machines`)
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    await closePage(page)
  })

  test('members see machines and change nothing', async () => {
    const id = await createMachine(server.url, { name: 'shown', bundleId: bundleId('dev/app') }, headers)
    const owner = await asOwner('/')
    const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', {
      body: { email: MEMBER, role: 'member' },
    })
    await closePage(owner)
    const page = await openPage(browser)
    await page.goto(server.url + accept_path)
    await page.getByLabel('Password', { exact: true }).fill('a long enough pass phrase')
    await page.getByRole('button', { name: 'Create the account and join' }).click()
    await page.getByRole('link', { name: 'Machines' }).click()
    await page.getByRole('link', { name: /shown/ }).click()
    await page.getByText('Fetch values').waitFor()
    await expectAccessible(page)
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
    expect(await page.getByRole('main').getByRole('link', { name: 'Activity' }).count()).toBe(0)
    await page.goto(`${server.url}/machines/${id}/activity`)
    await page.getByText('Only owners of the workspace see what happened.').waitFor()
    await closePage(page)
  })
})
