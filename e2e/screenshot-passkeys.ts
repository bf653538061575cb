import { freePort } from '@keyferry/plumbing/free-port'
import type { Page } from 'playwright-core'
import { ACCOUNTS, OWNER, setUpOwner } from './app-accounts.ts'
import type { World } from './shot.ts'
import { startServer } from './start-server.ts'
import { addVirtualAuthenticator } from './virtual-authenticator.ts'

/** The pages with passkeys, which need a server under a name. */
export async function passkeyShots(): Promise<World> {
  const port = await freePort('127.0.0.1')
  const site = `http://localhost:${port}`
  const server = await startServer({ port, env: { ...ACCOUNTS, PUBLIC_URL: site } })
  const cookie = await setUpOwner(server.url)
  const account = async (page: Page) => {
    await page.context().addCookies([{ ...cookie, url: site }])
    await page.goto(`${site}/settings`)
    await page.getByRole('button', { name: 'Add a passkey' }).waitFor()
  }
  const listed = async (page: Page) => {
    await account(page)
    await add(page)
    await page.getByRole('region', { name: 'Passkeys' }).scrollIntoViewIfNeeded()
  }
  const list = [
    {
      name: 'sign-in-passkey',
      show: async (page: Page) => {
        await page.goto(`${site}/sign-in`)
        await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
      },
    },
    {
      name: 'passkey-add',
      show: async (page: Page) => {
        await account(page)
        await page.getByRole('button', { name: 'Add a passkey' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
        await page.getByText('Enter your current password.').waitFor()
      },
    },
    { name: 'passkeys', show: listed },
    {
      name: 'passkey-remove',
      show: async (page: Page) => {
        await listed(page)
        await page.getByRole('button', { name: 'Remove Laptop' }).first().click()
      },
    },
    {
      name: 'passkey-rename',
      show: async (page: Page) => {
        await listed(page)
        await page.getByRole('button', { name: 'Rename Laptop' }).first().click()
      },
    },
    {
      name: 'approval-key-add',
      show: async (page: Page) => {
        await account(page)
        await page.getByRole('button', { name: 'Add a signing key' }).click()
      },
    },
    {
      name: 'passkeys-elsewhere',
      show: async (page: Page) => {
        const url = `http://127.0.0.1:${port}`
        await page.context().addCookies([{ ...cookie, url }])
        await page.goto(`${url}/settings`)
        await page.getByText('Passkeys work at').first().scrollIntoViewIfNeeded()
      },
    },
  ]
  return { list, servers: [server] }
}

async function add(page: Page): Promise<void> {
  await addVirtualAuthenticator(page)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
  await page.getByRole('dialog').getByLabel('Current password').fill(OWNER.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
