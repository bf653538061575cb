import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Me } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE_MS } from '../plumbing/test/until.ts'
import { ACCOUNTS, OWNER, type SessionCookie, sessionHeaders, setUpOwner, signIn } from './app-accounts.ts'
import { askApproval, createLibrary } from './app-library.ts'
import {
  cellOf,
  closePage,
  expectAccessible,
  joinInBrowser,
  openPage,
  openRow,
  pickFromMenu,
  readRequest,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { clientIn } from './page-client.ts'
import { type RunningServer, startServer } from './start-server.ts'

type Opened = { name: string; path: string; open: (page: Page) => Promise<void>; field: string }

const press = (name: string | RegExp) => async (page: Page) =>
  await page.getByRole('button', { name }).first().click()

const pick = (of: string, item: string) => async (page: Page) => await pickFromMenu(page, of, item)

const NEW_BUNDLE: Opened = {
  name: 'a new bundle',
  path: '/',
  open: press(/^New$/),
  field: 'Name',
}

/** What opens a dialog with a form, on the page of the bundle unless it names another. */
const DIALOGS: readonly Opened[] = [
  NEW_BUNDLE,
  { name: 'the edit of a bundle', path: '', open: pick('dev/app', 'Edit'), field: 'Description (optional)' },
  {
    name: 'another delivered name',
    path: '',
    async open(page) {
      await openRow(page, 'LOG_LEVEL')
      await pickFromMenu(page, 'LOG_LEVEL in dev/app', 'Rename')
    },
    field: 'Delivered name',
  },
  {
    name: 'a new variable',
    path: '',
    open: press('Add variable'),
    field: 'Name',
  },
  { name: 'a new workspace', path: '/machines', open: press(/^Workspace/), field: 'New workspace' },
]

/** Something that a person types and saves. `saved`: what the page says then. `name`: of its own for each try. */
type Typed = {
  path: string
  type: (page: Page, name: string) => Promise<void>
  save: string
  saved: (page: Page, name: string) => Promise<unknown>
}

const newName = (): string => `TYPED_${randomUUID().slice(0, 8).toUpperCase()}`

/** Types text, and waits until it can be saved. A row can be saved only after an answer of the server. */
async function fill(page: Page, { type, save }: Typed, name: string): Promise<void> {
  await type(page, name)
  await page.getByRole('button', { name: save, exact: true }).click({ trial: true })
}

const tooOld = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' })
const signedOut = (page: Page) => page.getByRole('dialog', { name: 'You are signed out' })

/** Save. A call in the background may have shown the dialog already, which would stop the mouse. */
const saveSignedOut = (page: Page, { save }: Typed) =>
  page.getByRole('button', { name: save, exact: true }).dispatchEvent('click')

const NEW_VARIABLE: Typed = {
  path: '',
  type: async (page, name) => {
    await press('Add variable')(page)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Value in dev/app').fill('planted-typed')
  },
  save: 'Add to dev',
  saved: (page, name) => page.getByText(`Added ${name} to dev/app.`).waitFor(),
}

const TYPED: Readonly<Record<string, Typed>> = {
  'a new variable': NEW_VARIABLE,
  'a value in its row': {
    path: '',
    type: async (page, name) => {
      await cellOf(page, 'PORT', 'dev').click()
      await page.getByRole('textbox', { name: 'Value of PORT in dev/app' }).fill(name)
    },
    save: 'Save',
    saved: (page) => page.getByText('Saved PORT').waitFor(),
  },
  'an edit of a bundle': {
    path: '',
    type: async (page, name) => {
      await pickFromMenu(page, 'dev/app', 'Edit')
      await page.getByLabel('Description (optional)').fill(name)
    },
    save: 'Save',
    saved: (page) => page.getByRole('dialog').waitFor({ state: 'detached' }),
  },
}

async function fillSignIn(window: Page): Promise<void> {
  await window.getByLabel('E-mail').fill(OWNER.email)
  await window.getByLabel('Password').fill(OWNER.password)
  await window.getByRole('button', { name: 'Sign in' }).click()
  await window.waitForURL('**/settings')
}

describe.skipIf(!hasBrowser())('text that is not saved', () => {
  let server: RunningServer
  let browser: Browser
  let page: WatchedPage
  let bundlePath: string
  let cookie: SessionCookie
  let workspace: string
  const questions: string[] = []
  const answers: boolean[] = []

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([
      startServer({ env: { ...ACCOUNTS, SIGN_IN_AGAIN_SECONDS: '900' } }),
      sharedBrowser(),
    ])
    cookie = await setUpOwner(server.url)
    const ids = await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))
    const me = await fetch(`${server.url}/api/v1/me`, { headers: sessionHeaders(server.url, cookie) })
    workspace = Me.parse(await me.json()).tenant.id
    bundlePath = `/bundles/${ids.bundles.get('dev/app')}`
    page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    page.on('dialog', (dialog) => {
      questions.push(dialog.message())
      void (answers.shift() === true ? dialog.accept() : dialog.dismiss())
    })
  })

  afterAll(async () => {
    await closePage(page)
    await closePages(browser)
    await server?.dispose()
  })

  /** Go to a page; the page before may contain text. */
  async function goTo(path: string): Promise<void> {
    answers.splice(0, answers.length, true)
    await page.goto(`${server.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    answers.length = 0
    questions.length = 0
  }

  async function open({ path, open: opening, field }: Opened): Promise<void> {
    await goTo(path === '' ? bundlePath : path)
    await opening(page)
    await page.getByRole('dialog').getByLabel(field).waitFor()
  }

  test.each(DIALOGS)('$name: closing the dialog asks first', async (opened) => {
    await open(opened)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(opened.field).fill('HALF_TYPED')
    answers.push(...Array.from({ length: 6 }, () => false), true)
    for (let asked = 1; asked <= 5; asked += 1) {
      await page.keyboard.press('Escape')
      await expect.poll(() => questions.length).toBe(asked)
    }
    await page.mouse.click(5, 5)
    await expect.poll(() => questions.length).toBe(6)
    await expect.poll(() => dialog.getByLabel(opened.field).inputValue()).toBe('HALF_TYPED')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(new Set(questions)).toEqual(
      new Set(['You have text here that is not saved. Close this and lose it?']),
    )
    expect(questions).toHaveLength(7)
  })

  test.each(DIALOGS)('$name: without a change nothing is asked', async (opened) => {
    await open(opened)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(questions).toEqual([])
  })

  test('Cancel asks, too', async () => {
    await open(NEW_BUNDLE)
    await page.getByLabel('Name').fill('dev/new')
    answers.push(false, true)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('dev/new')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(questions).toHaveLength(2)
  })

  test('a dialog without a form closes without a question, even if the page below has unsaved text', async () => {
    await goTo('/settings/workspace')
    await page.getByLabel('Name', { exact: true }).fill('Half typed')
    await press(/^Workspace /)(page)
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(questions).toEqual([])
    await page.getByLabel('Name', { exact: true }).fill("sam's workspace")
  })

  test.each([
    ['the name of the workspace', '/settings/workspace', 'Name'],
    ['an invitation', '/members', 'E-mail'],
  ])('%s: leaving the page asks first', async (_what, place, field) => {
    await goTo(place)
    answers.push(false, true)
    await page.getByLabel(field, { exact: true }).fill('half@example.com')
    await page.getByRole('link', { name: 'Machines', exact: true }).click()
    await expect.poll(() => page.getByLabel(field, { exact: true }).inputValue()).toBe('half@example.com')
    await page.getByRole('link', { name: 'Machines', exact: true }).click()
    await page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor()
    expect(questions).toEqual(
      Array(2).fill('You have text here that is not saved. Leave this page and lose it?'),
    )
  })

  test('saving asks nothing', async () => {
    await open(NEW_BUNDLE)
    await page.getByLabel('Name').fill('dev/saved')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/apps/dev/saved')
    await pick('dev/saved', 'Edit')(page)
    await page.getByLabel('Description (optional)').fill('kept')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('kept').waitFor()
    await pick('dev/saved', 'Duplicate')(page)
    await page.getByLabel('Name').fill('dev/saved2')
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.waitForURL('**/apps/dev/saved2?new=1')
    await press(/^Workspace /)(page)
    await page.getByLabel('New workspace').fill('Acme')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: /^Workspace Acme/ }).waitFor()
    await press(/^Workspace Acme/)(page)
    await page.getByRole('link', { name: 'Settings of this workspace' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('Name', { exact: true }).fill('Acme Ltd')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: /^Workspace Acme Ltd/ }).waitFor()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByLabel('E-mail').fill('lee@example.com')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('Send this link').waitFor()
    await page.getByRole('link', { name: 'Machines', exact: true }).click()
    await page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor()
    expect(questions).toEqual([])
  })

  /** A page of the owner, without the listener that answers questions. */
  async function openOwn(path: string, as = cookie): Promise<WatchedPage> {
    const own = await openPage(browser)
    await enter(own, as)
    // An earlier test leaves the session in another workspace.
    await own.goto(server.url + (path.startsWith('/approve') ? '' : `/w/${workspace}`) + path)
    await own.getByRole('heading', { level: 1 }).waitFor()
    return own
  }

  const enter = (own: Page, as: SessionCookie) => own.context().addCookies([{ ...as, url: server.url }])
  const pathOf = ({ path }: Typed) => (path === '' ? bundlePath : path)
  // The page looks again at once when the person comes back to its window.
  const comeBack = async (own: Page, as: SessionCookie) => {
    await enter(own, as)
    await own.evaluate("dispatchEvent(new Event('focus'))")
  }

  test('a session that ended does not take the text along: sign in in a new window, and the save goes on', async () => {
    const session = await signIn(server.url, OWNER)
    const own = await openOwn(bundlePath, session)
    const name = newName()
    await fill(own, NEW_VARIABLE, name)
    const address = own.url()
    const headers = sessionHeaders(server.url, session)
    expect((await fetch(`${server.url}/sign-out`, { method: 'POST', headers })).status).toBe(200)
    await saveSignedOut(own, NEW_VARIABLE)
    await signedOut(own).getByText('nothing is saved yet').waitFor()
    await expectAccessible(own)
    expect(own.url()).toBe(address)
    const opened = own.context().waitForEvent('page')
    await signedOut(own).getByRole('link', { name: 'Sign in in a new window' }).click()
    await fillSignIn(await opened)
    await signedOut(own).waitFor({ state: 'detached' })
    await NEW_VARIABLE.saved(own, name)
    await closePage(own)
  })

  test('an act that loosens asks to sign in again in a new window, and goes on with what was typed', async () => {
    const session = await signIn(server.url, OWNER)
    const own = await openOwn('/members', session)
    const sessions = new DatabaseSync(join(server.dataDir, 'sessions.db'), { timeout: PATIENCE_MS })
    const older = "update sessions set session = json_set(session, '$.createdAtMs', ?) where token_hash = ?"
    sessions.prepare(older).run(Date.now() - 3_600_000, hashToken(session.value))
    sessions.close()
    const email = `${randomUUID()}@example.com`
    await own.getByLabel('E-mail').fill(email)
    await own.getByRole('button', { name: 'Invite', exact: true }).click()
    await tooOld(own).waitFor()
    await expectAccessible(own)
    const opened = own.context().waitForEvent('page')
    await tooOld(own).getByRole('link', { name: 'Sign in in a new window' }).click()
    await fillSignIn(await opened)
    await tooOld(own).waitFor({ state: 'detached' })
    await own.getByText(email).first().waitFor()
    await own.getByText('Send this link').waitFor()
    await closePage(own)
  })

  test.each(Object.entries(TYPED))('%s survives the end of the session', async (_what, typed) => {
    const own = await openOwn(pathOf(typed))
    const name = newName()
    await fill(own, typed, name)
    await own.context().clearCookies()
    await saveSignedOut(own, typed)
    await signedOut(own).waitFor()
    await comeBack(own, cookie)
    await signedOut(own).waitFor({ state: 'detached' })
    await typed.saved(own, name)
    await closePage(own)
  })

  test('who does not want to sign in goes back to the text', async () => {
    const own = await openOwn(bundlePath)
    const name = newName()
    await fill(own, NEW_VARIABLE, name)
    await own.context().clearCookies()
    await saveSignedOut(own, NEW_VARIABLE)
    await signedOut(own).getByRole('button', { name: 'Close' }).click()
    await own.getByText('Not saved: you are signed out on this page.').waitFor()
    expect(await own.getByLabel('Name', { exact: true }).inputValue()).toBe(name)
    await enter(own, cookie)
    await own.getByRole('button', { name: NEW_VARIABLE.save }).click()
    await NEW_VARIABLE.saved(own, name)
    await closePage(own)
  })

  test('the text of an import survives a preview after the session has ended', async () => {
    const own = await openOwn('/bundles/import?bundle=dev/worker')
    await own.locator('textarea').fill('BEFORE=planted-import')
    await own.getByText('BEFORE', { exact: true }).first().waitFor()
    await own.context().clearCookies()
    const name = newName()
    // A call in the background may show the dialog before the preview is asked for.
    const refused = own.waitForResponse(
      (answer) => answer.url().endsWith('/imports') && answer.status() === 401,
    )
    await own.locator('textarea').fill(`${name}=planted-import`)
    await refused
    await signedOut(own).waitFor()
    await comeBack(own, cookie)
    await signedOut(own).waitFor({ state: 'detached' })
    await own.getByText(name, { exact: true }).first().waitFor()
    await closePage(own)
  })

  describe('another person signs in, in another tab', () => {
    const email = `${randomUUID().slice(0, 8)}@example.com`
    let other: SessionCookie

    beforeAll(async () => {
      const invited = { email, role: 'owner' } as const
      const own = await openOwn('/members')
      const asked = { body: invited, headers: { 'keyferry-workspace': workspace } }
      const { accept_path } = await clientIn(own)('POST', '/api/v1/invitations', asked)
      await closePage(own)
      const joined = await joinInBrowser(browser, server.url + accept_path)
      const session = (await joined.context().cookies()).find(({ name }) => name.endsWith('__session'))
      if (session === undefined) throw new Error('no session')
      other = { name: session.name, value: session.value }
      await closePage(joined)
    })

    test.each(Object.entries(TYPED))('%s is not saved in their name, and not lost', async (_what, typed) => {
      const own = await openOwn(pathOf(typed))
      const name = newName()
      await fill(own, typed, name)
      await enter(own, other)
      await own.getByRole('button', { name: typed.save, exact: true }).click()
      const dialog = own.getByRole('dialog', { name: 'Another person signed in' })
      await dialog.getByText(`${email} is signed in now`).waitFor()
      await expectAccessible(own)
      await comeBack(own, cookie)
      await dialog.waitFor({ state: 'detached' })
      await typed.saved(own, name)
      await closePage(own)
    })

    test('a page without unsaved text loads again, as theirs', async () => {
      const own = await openOwn('/machines')
      await own.evaluate('loadedBefore = true')
      await enter(own, other)
      await own.getByRole('link', { name: 'Members' }).dispatchEvent('click')
      // The page can be on its way while it is asked.
      const isNew = () =>
        own.evaluate('typeof loadedBefore').then(
          (type) => type === 'undefined',
          () => false,
        )
      await expect.poll(isNew).toBe(true)
      const members = () =>
        own.goto(`${server.url}/w/${workspace}/members`).then(
          () => true,
          () => false,
        )
      await expect.poll(members).toBe(true)
      const row = own.getByRole('listitem').filter({ hasText: email })
      await row.getByText('you', { exact: true }).waitFor()
      await closePage(own)
    })

    test('an approval page decides nothing in their name', async () => {
      const request = await askApproval(server.url, { bundle: 'dev/worker' })
      const own = await openOwn(request.verification_uri_complete)
      await readRequest(own)
      await enter(own, other)
      await own.getByRole('button', { name: 'Deny' }).click()
      await own.getByRole('heading', { name: 'Another person signed in' }).waitFor()
      await expectAccessible(own)
      await own.getByRole('button', { name: 'Load again' }).click()
      await own.getByText(email).first().waitFor()
      await readRequest(own)
      await own.getByRole('button', { name: 'Deny' }).click()
      await own.getByRole('heading', { name: 'Denied' }).waitFor()
      await closePage(own)
    })
  })
})
