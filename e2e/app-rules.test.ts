import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, OWNER, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { askApproval, createLibrary, META } from './app-library.ts'
import {
  APPROVE,
  closePage,
  expectAccessible,
  joinInBrowser,
  openKeys,
  openPage,
  readRequest,
  typeCheckCode,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { clientIn } from './page-client.ts'
import { chooseRule, confirmLooser, type RuleWord, ruleWord } from './rules-page.ts'
import { type RunningServer, startServer } from './start-server.ts'

const MEMBER = 'kim@example.com'

describe.skipIf(!hasBrowser())('rules for approvals', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let bundles: ReadonlyMap<string, string>

  beforeAll(async () => {
    const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' }
    ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
    cookie = await setUpOwner(server.url)
    bundles = (await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))).bundles
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function asOwner(path = '/') {
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + path)
    return page
  }

  async function asMember() {
    const owner = await asOwner()
    const invited = { email: MEMBER, role: 'member' } as const
    const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', { body: invited })
    await closePage(owner)
    return await joinInBrowser(browser, server.url + accept_path)
  }

  test('an owner sets two people for a bundle; both approve the same keys', async () => {
    const owner = await asOwner(`/rules?bundle=${bundles.get('dev/worker')}`)
    const word = { label: 'Who may say yes', place: 'dev/worker' }
    await chooseRule(owner, word, 'A second person too')
    await ruleWord(owner, word, 'Two members, set here').waitFor()
    await expectAccessible(owner)

    const request = await askApproval(server.url, { bundle: 'dev/worker' })
    const link = server.url + request.verification_uri_complete
    await owner.goto(link)
    await owner.getByText('you are the only person of the workspace who may').waitFor()
    const member = await asMember()
    await owner.reload()
    await readRequest(owner)
    await openKeys(owner)
    await owner.getByRole('checkbox', { name: 'LOG_LEVEL' }).uncheck()
    await typeCheckCode(owner, request.user_code)
    await owner.getByRole('button', { name: 'Approve, first of two' }).click()
    await owner.getByRole('heading', { name: 'Approved by you, one person missing' }).waitFor()
    await expectAccessible(owner)
    await owner.reload()
    await owner.getByRole('heading', { name: 'Approved by you, one person missing' }).waitFor()

    await member.goto(`${server.url}/rules`)
    await member.getByRole('listitem', { name: 'dev/worker' }).getByText('Two members').first().waitFor()
    expect(await ruleWord(member, word).count()).toBe(0)
    await member.goto(link)
    await readRequest(member)
    await member.getByText('approved these variables first').waitFor()
    await member.getByText('With your approval the terminal gets them.').waitFor()
    await member.getByText('Approve only if you know').first().waitFor()
    expect(await member.getByText(/you (just )?ran/).count()).toBe(0)
    await openKeys(member)
    await expect.poll(() => member.getByRole('checkbox', { checked: true }).count()).toBe(2)
    expect(await member.getByRole('checkbox', { name: 'DATABASE_URL' }).isDisabled()).toBe(true)
    await expectAccessible(member)
    await typeCheckCode(member, request.user_code)
    await member.getByRole('button', { name: APPROVE }).click()
    await member.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
    await owner.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
    await Promise.all([closePage(owner), closePage(member)])
  })

  test('a whole command, an agent, and who changed a value lately', async () => {
    const argv = ['bash', '-c', `echo ${'x'.repeat(300)}\nend`, '--token=***']
    const meta = { ...META, agent: 'claude-code', reason: 'to run the migration', via: 'run' }
    const { verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app', argv, meta })
    const page = await asOwner(verification_uri_complete)
    await readRequest(page)
    const heading = await page.getByRole('heading', { level: 1 }).innerText()
    expect(heading.replaceAll(/\s/g, '')).toContain(`bash-c'echo${'x'.repeat(300)}\\nend'`)
    await page
      .getByRole('alert')
      .getByText('bash runs a script, which can do anything with the values.')
      .waitFor()
    await page.getByText('An agent runs this: claude-code').waitFor()
    await page.getByText('to run the migration').waitFor()
    await page.getByText('It can read everything that this program prints.').waitFor()
    await expect
      .poll(() => page.getByText('ran the command').innerText())
      .toContain('Approve only if you know who')
    await openKeys(page)
    await page
      .getByText(/changed .* by sam/)
      .first()
      .waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('a request that the rules refuse can only be denied, and the terminal learns why', async () => {
    const page = await asOwner()
    const params = { bundle_id: bundles.get('dev/app') ?? '' }
    await clientIn(page)('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body: { agents: 'deny' } })
    const meta = { ...META, agent: 'claude-code', reason: 'to run the migration' }
    const { id, verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app', meta })
    await page.goto(server.url + verification_uri_complete)
    await readRequest(page)
    await page.getByText('This bundle is not delivered to AI agents. If you deny, the terminal').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    const answer = await fetch(`${server.url}/api/v1/requests/${id}/wait`)
    expect(await answer.json()).toMatchObject({
      code: 'request_denied',
      details: { reason: 'agents_denied' },
    })
    const body = { agents: null }
    await clientIn(page)('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body })
    await closePage(page)
  })

  test('an agent that reads the values itself is said in red', async () => {
    const meta = { ...META, agent: 'codex', via: 'pull' }
    const { verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app', meta })
    const page = await asOwner(verification_uri_complete)
    await readRequest(page)
    await page.getByText('It reads every value itself, and its transcript keeps them.').waitFor()
    await page.getByText('The client did not send its whole command.').waitFor()
    await closePage(page)
  })

  test('a rule for production takes three clicks, and covers its bundles', async () => {
    const page = await asOwner()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(`document.addEventListener('click', () => {
      document.body.dataset.clicks = Number(document.body.dataset.clicks ?? 0) + 1
    })`)
    const word = { label: 'How do we know it is them', place: 'prod/shop/' }
    await page.getByRole('link', { name: 'Rules' }).first().click()
    await chooseRule(page, word, 'Only to the same computer')
    await ruleWord(page, word, 'it comes back only to the same computer, set here').waitFor()
    expect(await page.locator('body').getAttribute('data-clicks')).toBe('3')
    await expectAccessible(page)

    const asked = { bundle: 'prod/shop/app', release: ['code'] as const, verifier: generatePollVerifier() }
    const request = await askApproval(server.url, asked)
    await page.goto(server.url + request.verification_uri_complete)
    await readRequest(page)
    await page.getByText('run the command there, without --no-open').waitFor()
    expect(await page.getByRole('button', { name: /^Approve|: approve/ }).count()).toBe(0)
    await closePage(page)
  })

  test('what loosens is confirmed in its place, also by Undo; Escape and arrows move in the menu', async () => {
    const page = await asOwner()
    await clientIn(page)('POST', '/api/v1/bundles', { body: { name: 'stage/one' } })
    await page.goto(`${server.url}/rules?folder=stage/`)
    const word = { label: 'For agents', place: 'stage/' }
    const place = page.getByRole('listitem', { name: 'stage/', exact: true })
    await ruleWord(page, word, 'once each, from above').focus()
    await page.keyboard.press('Enter')
    await page.locator('[role=menuitemradio]:focus').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.locator('[role=menuitemradio]:focus').getByText('Nothing').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await chooseRule(page, word, 'Nothing')
    await ruleWord(page, word, 'nothing, set here').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    const question = place.getByRole('group', { name: 'Loosen this rule?' })
    await question.getByText('This loosens “For agents” of stage/: from Nothing to Once each.').waitFor()
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Keep it' }).click()
    await question.waitFor({ state: 'detached' })
    await chooseRule(page, word, 'As the workspace says')
    await confirmLooser(page)
    await ruleWord(page, word, 'once each, from above').waitFor()
    await closePage(page)
  })

  test('a place reads as one sentence; tasks are chosen where a command may start again, and confirmed', async () => {
    const page = await asOwner('/rules?folder=dev/')
    const place = page.getByRole('listitem', { name: 'dev/', exact: true })
    const says = (sentence: string) =>
      expect.poll(() => place.locator('p').first().innerText()).toBe(sentence)
    const [how, long, agents] = ['How do we know it is them', 'For how long', 'For agents'].map((label) => ({
      label,
      place: 'dev/',
    })) as [RuleWord, RuleWord, RuleWord]
    await chooseRule(page, how, 'It comes back to their terminal')
    await ruleWord(page, how, 'it comes back to their terminal, set here').waitFor()
    await chooseRule(page, long, 'The task, 30 minutes')
    await confirmLooser(page)
    await ruleWord(page, long, 'once, for a command up to 8 hours, or for a task (30 minutes), set').waitFor()
    await chooseRule(page, agents, 'The same')
    await confirmLooser(page)
    const start = 'Members say yes, and it comes back to their terminal. It counts once'
    await says(`${start}, for a command up to 8 hours, or for a task (30 minutes); for agents the same.`)
    await expectAccessible(page)
    await chooseRule(page, long, 'Once')
    await says(`${start}; for agents the same.`)
    await ruleWord(page, long).click()
    await page.getByRole('menuitemradio', { name: /^The task/ }).waitFor()
    await page.keyboard.press('Escape')
    await ruleWord(page, { label: 'For how long', place: 'prod/shop/' }).click()
    await page.getByRole('menuitemradio', { name: /^This command, 8 hours/ }).waitFor()
    expect(await page.getByRole('menuitemradio', { name: /^The task/ }).count()).toBe(0)
    await closePage(page)
  })

  test('a choice works while the page still fetches the result of the previous one', async () => {
    const owner = await asOwner(`/rules?bundle=${bundles.get('dev/worker')}`)
    const changers = { label: 'Who may change values', place: 'dev/worker' }
    const agents = { label: 'For agents', place: 'dev/worker' }
    await ruleWord(owner, changers).waitFor()
    const paused = Promise.withResolvers<void>()
    await owner.route('**/bundles/*/policy', async (route) => {
      if (route.request().method() === 'GET') await paused.promise
      await route.continue()
    })
    await chooseRule(owner, changers, 'Owners')
    await ruleWord(owner, changers, 'owners, set here').waitFor()
    await chooseRule(owner, agents, 'Nothing')
    await ruleWord(owner, agents, 'nothing, set here').waitFor()
    paused.resolve()
    await closePage(owner)
  })

  test('an owner says that a bundle is for production, and its page marks it', async () => {
    const id = bundles.get('dev/app') ?? ''
    const page = await asOwner(`/rules?bundle=${id}`)
    const place = page.getByRole('listitem', { name: 'dev/app', exact: true })
    const choose = async (now: string, choice: string) => {
      await place.getByRole('button', { name: now, exact: true }).click()
      await page.getByRole('menuitemradio', { name: choice, exact: true }).click()
    }
    await choose('not for production', 'For production')
    await place.getByRole('button', { name: 'for production', exact: true }).waitFor()
    await expectAccessible(page)
    await choose('for production', 'As its name and tags say')
    await place.getByRole('button', { name: 'not for production', exact: true }).waitFor()
    await closePage(page)
  })

  test('owners are advised to bind approvals to the terminal', async () => {
    const page = await asOwner('/rules')
    await page.getByRole('heading', { name: 'Rules' }).waitFor()
    await page.getByText('One careless click on a link').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Return approvals to the terminal' }).click()
    const word = { label: 'How do we know it is them', place: 'all bundles' }
    await ruleWord(page, word, 'it comes back to their terminal, set here').waitFor()
    expect(await page.getByText('One careless click on a link').count()).toBe(0)
    const request = await askApproval(server.url, { bundle: 'dev/app' })
    await page.goto(server.url + request.verification_uri_complete)
    await page.getByText('You cannot approve this.').waitFor()
    expect(await page.getByText(OWNER.email).count()).toBeGreaterThan(0)
    await closePage(page)
  })
})
