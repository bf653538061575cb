import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePage, expectAccessible, openPage, type WatchedPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

/** A record that two people edit at once. `type`: this person's edit of the field that the other changes too. */
type Edited = {
  readonly path: string
  readonly open: (page: WatchedPage) => Promise<void>
  readonly type: (page: WatchedPage) => Promise<void>
  readonly save: string
  readonly theirs: () => Promise<unknown>
  /** The field as it is stored. */
  readonly stored: () => Promise<unknown>
  readonly expected: { readonly theirs: unknown; readonly mine: unknown }
}

const openEdit = (page: WatchedPage) => page.getByRole('button', { name: 'Edit', exact: true }).click()

const openEditOfBundle = async (page: WatchedPage) => {
  await page
    .getByRole('button', { name: /^More for dev/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
}

describe.skipIf(!hasBrowser())('two people edit one record', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  const RECORDS: Readonly<Record<string, (name: string) => Promise<Edited>>> = {
    async bundle(name) {
      const call = createClient(server.url)
      const made = await call('POST', '/api/v1/bundles', { body: { name: `dev/${name}`, tags: 'dev' } })
      const params = { bundle_id: made.id }
      return {
        path: `/bundles/${made.id}`,
        open: openEditOfBundle,
        type: (page) => page.getByLabel('Tags (optional)').fill('mine'),
        save: 'Save',
        theirs: () =>
          call('PUT', '/api/v1/bundles/{bundle_id}', { params, body: { tags: 'dev,production' } }),
        stored: async () => (await call('GET', '/api/v1/bundles/{bundle_id}', { params })).tags,
        expected: { theirs: 'dev,production', mine: 'mine' },
      }
    },
    async machine(name) {
      const call = createClient(server.url)
      const made = await call('POST', '/api/v1/machines', { body: { name: `ci-${name}` } })
      const params = { machine_id: made.id }
      return {
        path: `/machines/${made.id}`,
        open: openEdit,
        type: (page) => page.getByLabel('Description (optional)').fill('mine'),
        save: 'Save',
        theirs: () =>
          call('PUT', '/api/v1/machines/{machine_id}', { params, body: { description: 'theirs' } }),
        stored: async () => (await call('GET', '/api/v1/machines/{machine_id}', { params })).description,
        expected: { theirs: 'theirs', mine: 'mine' },
      }
    },
    async webhook(name) {
      const call = createClient(server.url)
      const body = { url: `https://hooks.example.com/${name}` }
      const made = await call('POST', '/api/v1/webhooks', { body })
      const params = { webhook_id: made.id }
      const url = 'https://hooks.example.com/theirs'
      return {
        path: `/settings/webhooks/${made.id}`,
        open: openEdit,
        type: (page) => page.getByLabel('Address').fill('https://hooks.example.com/mine'),
        save: 'Save',
        theirs: () => call('PUT', '/api/v1/webhooks/{webhook_id}', { params, body: { url } }),
        stored: async () => (await call('GET', '/api/v1/webhooks/{webhook_id}', { params })).url,
        expected: { theirs: url, mine: 'https://hooks.example.com/mine' },
      }
    },
    async 'rules of a bundle'(name) {
      const call = createClient(server.url)
      const made = await call('POST', '/api/v1/bundles', { body: { name: `dev/${name}` } })
      const params = { bundle_id: made.id }
      return {
        path: `/bundles/${made.id}/rules`,
        open: async () => undefined,
        type: async (page) => {
          await page.getByLabel('AI agents').selectOption('remember')
        },
        save: 'Save rules',
        theirs: () => call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body: { agents: 'deny' } }),
        stored: async () =>
          (await call('GET', '/api/v1/bundles/{bundle_id}/policy', { params })).bundle.agents,
        expected: { theirs: 'deny', mine: 'remember' },
      }
    },
    async 'description of a key'(name) {
      const call = createClient(server.url)
      const body = { name: name.toUpperCase(), value: 'x' }
      const made = await call('POST', '/api/v1/keys', { body })
      const params = { key_id: made.id }
      return {
        path: `/keys/${made.id}`,
        open: async () => undefined,
        type: (page) => page.getByRole('textbox', { name: 'Description' }).fill('mine'),
        save: 'Save changes',
        theirs: () => call('PUT', '/api/v1/keys/{key_id}', { params, body: { description: 'theirs' } }),
        stored: async () => (await call('GET', '/api/v1/keys/{key_id}', { params })).description,
        expected: { theirs: 'theirs', mine: 'mine' },
      }
    },
    async workspace() {
      const call = createClient(server.url)
      const { tenant } = await call('GET', '/api/v1/me')
      const params = { tenant_id: tenant.id }
      await call('PUT', '/api/v1/tenants/{tenant_id}', { params, body: { name: 'before' } })
      return {
        path: '/settings',
        open: async () => undefined,
        type: (page) => page.getByLabel('Name', { exact: true }).fill('mine'),
        save: 'Rename',
        theirs: () => call('PUT', '/api/v1/tenants/{tenant_id}', { params, body: { name: 'theirs' } }),
        stored: async () => (await call('GET', '/api/v1/me')).tenant.name,
        expected: { theirs: 'theirs', mine: 'mine' },
      }
    },
  }

  async function conflict(edited: Edited): Promise<WatchedPage> {
    const page = await openPage(browser)
    await page.goto(server.url + edited.path)
    await edited.open(page)
    await edited.type(page)
    await edited.theirs()
    await page.getByRole('button', { name: edited.save, exact: true }).click()
    await page.getByText('after you opened this').waitFor()
    expect(await edited.stored()).toBe(edited.expected.theirs)
    return page
  }

  describe.each(Object.keys(RECORDS))('%s', (noun) => {
    const record = async (name: string) => {
      const create = RECORDS[noun]
      if (create === undefined) throw new Error(`no record ${noun}`)
      return await create(`${noun.replaceAll(' ', '_')}_${name}`)
    }

    test('what another person changed is not overwritten; a person who keeps their own text saves it', async () => {
      const edited = await record('kept')
      const page = await conflict(edited)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Keep mine' }).click()
      await page.getByRole('button', { name: edited.save, exact: true }).click()
      await expect.poll(edited.stored).toBe(edited.expected.mine)
      await closePage(page)
    })

    test('a person who discards their own text sees what is stored, and has nothing to save', async () => {
      const edited = await record('lost')
      const page = await conflict(edited)
      await page.getByRole('button', { name: 'Discard mine' }).click()
      await expect.poll(() => page.getByText('after you opened this').count()).toBe(0)
      expect(await edited.stored()).toBe(edited.expected.theirs)
      await closePage(page)
    })
  })

  test('edits of different fields both stay', async () => {
    const call = createClient(server.url)
    const made = await call('POST', '/api/v1/bundles', { body: { name: 'dev/both', tags: 'dev' } })
    const params = { bundle_id: made.id }
    const page = await openPage(browser)
    await page.goto(`${server.url}/bundles/${made.id}`)
    await openEditOfBundle(page)
    await page.getByLabel('Description (optional)').fill('what it is for')
    await call('PUT', '/api/v1/bundles/{bundle_id}', { params, body: { tags: 'dev,production' } })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved dev/both.').waitFor()
    const { description, tags } = await call('GET', '/api/v1/bundles/{bundle_id}', { params })
    expect({ description, tags }).toEqual({ description: 'what it is for', tags: 'dev,production' })
    await closePage(page)
  })

  test('the rules that a person chose stay while another person changes another rule', async () => {
    const edited = await RECORDS['rules of a bundle']?.('other_rule')
    const page = await openPage(browser)
    await page.goto(server.url + (edited?.path ?? ''))
    const hours = page.getByLabel('Approvals can be remembered')
    await hours.selectOption('1')
    await edited?.theirs()
    // The page reads the rules again after each change.
    await page.getByLabel('For production').selectOption('Yes')
    await expect.poll(() => page.getByLabel('AI agents').inputValue()).toBe('deny')
    await expect.poll(() => hours.inputValue()).toBe('1')
    await page.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('Saved. Remembered approvals').waitFor()
    expect(await edited?.stored()).toBe('deny')
    await closePage(page)
  })
})
