import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { MAIL_TIMES } from '@keyferry/contract/mail'
import { createDeviceSeed, signDeviceRequest } from '@keyferry/crypto/device-key'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { until } from '../../plumbing/test/until.ts'
import { type MailEntry, mailsOf } from '../src/mail/domain/mail.ts'
import { quoted } from '../src/mail/domain/mail-text.ts'
import { mailCaller, transportOf } from '../src/mail/sending/mail-call.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { selectOf } from '../src/storage/base/tenant-rows.ts'
import {
  type Identity,
  layerHeaders,
  oneDatabase,
  openDatabaseOf,
  startTestApi,
  type TestApi,
  testSettings,
} from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { propose } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { MailServer } from './mail-server.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const PUBLIC_URL = 'https://keyferry.example.com'
const FROM = 'keyferry@example.com'
const HOUR_MS = 60 * 60 * 1_000

const OPEN_ACCOUNT = `Open your account: ${PUBLIC_URL}/account`
const SWITCH_OFF = `Switch these mails off: ${PUBLIC_URL}/account`

/** The paragraphs of a mail. */
const paragraphsOf = (mail: { text: string } | undefined) => (mail?.text ?? '').trim().split('\n\n')

const newAddress = () => `${randomUUID()}@example.com`
const mailTo = (url: string) => ({ url, from: FROM, publicUrl: PUBLIC_URL })

describe.each(oneDatabase)('mails on %s', (kind) => {
  let api: TestApi
  let mail: MailServer
  let database: Database
  let now = Date.now()
  let owner: Identity
  beforeAll(async () => {
    mail = new MailServer()
    await mail.start()
    api = await startTestApi(kind, {
      now: () => new Date(now),
      sweepSeconds: 0.2,
      trustProxy: ['127.0.0.1'],
      mail: mailTo(mail.url),
    })
  })
  beforeAll(async () => {
    database = await openDatabaseOf(api)
  })
  beforeEach(async () => {
    owner = await api.newOwner()
  })
  afterAll(async () => {
    await database.close()
    await api.close()
    await mail.stop()
  })

  const invite = (email: string, as = owner) =>
    api.call('createInvitation', { as, body: { email, role: 'member' } })
  // The node notes a mail after it arrived, and the hour counts from then.
  const arrived = async (address: string, count = 1) => {
    const sent = database.query.selectFrom('mail_messages').select('id').where('state', '=', 'sent')
    const noted = async () => (await sent.where('address_key', '=', address).execute()).length
    await expect.poll(noted).toBe(count)
    expect(mail.to(address)).toHaveLength(count)
  }
  const states = (address: string) =>
    database.query
      .selectFrom('mail_messages')
      .select(['state', 'attempts'])
      .where('address_key', '=', address)
      .orderBy('created_at')
      .execute()
  const about = (address: string) =>
    mail.to(address).filter(({ subject }) => subject === 'Somebody waits for your approval').length
  const warnings = async () => {
    const { warnings: shown = [] } = (await (await fetch(`${api.address}/readyz`)).json()) as {
      warnings?: string[]
    }
    return shown
  }
  const signedIn = async (idp_user_id: string, email: string, from: string) => {
    const body = { idp_user_id, email, email_verified: true }
    const headers = layerHeaders('POST', '/api/v1/users/ensure', body, new Date(now))
    const { json } = await api.call('ensureUser', { body, headers: { ...headers, 'x-forwarded-for': from } })
    return { userId: json.user_id, tenantId: json.tenant_id }
  }

  test('an invitation is in a mail with constant subject and quoted names, and its link joins', async () => {
    const email = newAddress()
    const params = { tenant_id: owner.tenantId }
    await api.call('renameTenant', { as: owner, params, body: { name: 'Acme "x" <b>' } })
    await invite(email)
    await arrived(email)
    const [sent] = mail.to(email)
    expect(sent?.subject).toBe('You are invited to a Keyferry workspace')
    expect(sent?.text).toContain("to the workspace “Acme 'x' <b>” as a member.")
    expect(sent?.text).toContain('Join the workspace: https://keyferry.example.com/invite/')
    expect(sent?.raw).not.toContain('<b>”')
    expect(sent?.raw).toContain('Auto-Submitted: auto-generated')
    const token = /keyferry\.example\.com\/invite\/([\w-]+)/.exec(sent?.text ?? '')?.[1] ?? ''
    const person = await signedIn(`user_${randomUUID()}`, email, '192.0.2.1')
    const joined = await api.call('acceptInvitation', { as: person, body: { token } })
    expect([joined.status, joined.json.tenant_id]).toEqual([200, owner.tenantId])
    expect(sent?.text).not.toContain('/approve/')
  })

  test('an address is forgotten with its last mail, two days after that was sent', async () => {
    const address = newAddress()
    await invite(address)
    await arrived(address)
    const receivers = () =>
      database.query.selectFrom('mail_receivers').select('id').where('id', '=', address).execute()
    now += MAIL_TIMES.keptSeconds * 1_000 - 60_000
    await api.sweep()
    expect(await receivers()).toHaveLength(1)
    now += 2 * 60_000
    await api.sweep()
    await expect.poll(receivers).toEqual([])
  })

  test('a local account gets mails if it joined by the link of its mail, until its address changes', async () => {
    const [handed, mailed, changed] = [newAddress(), newAddress(), newAddress()]
    const password = 'correct horse battery'
    const own: Identity[] = []
    for (const email of [handed, mailed]) {
      const { json } = await invite(email)
      await arrived(email)
      const sent = /\/invite\/([\w-]+)/.exec(mail.to(email)[0]?.text ?? '')?.[1] ?? ''
      const token = email === mailed ? sent : json.token
      const joined = await api.call('joinWithAccount', { body: { token, password } })
      expect([joined.status, joined.json.joined_tenant_id]).toEqual([201, owner.tenantId])
      own.push({ userId: joined.json.user_id, tenantId: joined.json.tenant_id })
    }
    const logIn = (email: string, from: string) =>
      api.call('logIn', { body: { email, password }, headers: { 'x-forwarded-for': from } })
    for (const email of [handed, mailed]) await logIn(email, '192.0.2.60')
    await arrived(mailed, 2)
    await invite(changed, await api.newOwner())
    await arrived(changed)
    const [, ofStranger = ''] = /\/invite\/([\w-]+)/.exec(mail.to(changed)[0]?.text ?? '') ?? []
    const body = { current_password: password, email: changed }
    expect((await api.call('changeEmail', { as: own[1] ?? owner, body })).status).toBe(200)
    // It joins, and does not prove the address in place of the one that was proved.
    const accepted = await api.call('acceptInvitation', { as: own[1] ?? owner, body: { token: ofStranger } })
    expect(accepted.status).toBe(200)
    await logIn(changed, '192.0.2.61')
    await arrived(mailed, 3)
    await arrived(changed, 2)
    expect(paragraphsOf(mail.to(mailed).at(-1))).toEqual([
      'Your account has another e-mail address now, so this address gets no more mails about it.',
      'If that was not you, sign out everywhere, change how you sign in, and tell your operator.',
      OPEN_ACCOUNT,
      'You cannot switch these mails off.',
    ])
    expect(mail.to(changed)[1]?.text).toContain(
      'Prove this address: https://keyferry.example.com/account?proof=',
    )
    expect(mail.to(handed)).toHaveLength(1)
    const token = /\/account\?proof=([\w-]{43})$/m.exec(mail.to(changed)[1]?.text ?? '')?.[1] ?? ''
    const prove = (as = own[1] ?? owner) => api.call('proveAddress', { as, body: { token } })
    expect((await prove(own[0])).status).toBe(404)
    expect((await prove()).status).toBe(200)
    mail.refusal = (to) => (to === changed ? { code: 451, text: 'greylisted, try again' } : null)
    onTestFinished(() => {
      mail.refusal = null
    })
    await logIn(changed, '192.0.2.62')
    await expect.poll(() => states(changed)).toContainEqual({ state: 'waiting', attempts: 1 })
    // Another address, and the link of the one before does not prove it.
    const again = { ...body, email: newAddress() }
    expect((await api.call('changeEmail', { as: own[1] ?? owner, body: again })).status).toBe(200)
    expect((await prove()).status).toBe(404)
    mail.refusal = null
    now += 2 * 60_000
    // The warning about the sign-in goes where it was to go, and so does the one about the address.
    await arrived(changed, 4)
  })

  test('one address gets one invitation an hour, and five a day, also if somebody here has it', async () => {
    const email = newAddress()
    await signedIn(`user_${randomUUID()}`, email, '192.0.2.1')
    for (let count = 0; count < 7; count += 1) await invite(email, await api.newOwner())
    await arrived(email)
    for (const count of [2, 3, 4, 5]) {
      now += HOUR_MS + 1_000
      await arrived(email, count)
    }
    now += 2 * HOUR_MS
    const last = newAddress()
    await invite(last)
    await arrived(last)
    expect(mail.to(email)).toHaveLength(5)
    expect(new Set(mail.to(email).map(({ id }) => id)).size).toBe(5)
  })

  test('an inviter has one place in the line to an address and two mails a day, and others get theirs', async () => {
    const email = newAddress()
    const inviter = await api.newOwner()
    const inviteFrom = async (name: string) => {
      const { json } = await api.call('createTenant', { as: inviter, body: { name } })
      await invite(email, { ...inviter, tenantId: json.id })
    }
    const rows = database.query.selectFrom('mail_messages').where('address_key', '=', email)
    const queued = async () =>
      (await rows.select(['made_by', 'state', 'tenant_id']).orderBy('created_at').execute()).map(
        ({ made_by, state }) => [made_by, state],
      )
    await inviteFrom('First')
    await arrived(email)
    await inviteFrom('Second')
    await expect.poll(queued).toHaveLength(2)
    now += 1_000
    await invite(email)
    await expect.poll(queued).toHaveLength(3)
    now += 1_000
    await inviteFrom('Third')
    const place = [
      [inviter.userId, 'sent'],
      [owner.userId, 'waiting'],
      [inviter.userId, 'waiting'],
    ]
    await expect.poll(queued).toEqual(place)
    for (const count of [2, 3]) {
      now += HOUR_MS + 1_000
      await arrived(email, count)
    }
    expect(mail.to(email)[2]?.text).toContain('“Third”')
    await inviteFrom('Fourth')
    const last = newAddress()
    await invite(last)
    await arrived(last)
    expect(await queued()).toHaveLength(3)
  })

  test('a revoked invitation makes no mail any more', async () => {
    const email = newAddress()
    await invite(email, await api.newOwner())
    await arrived(email)
    const { json } = await invite(email)
    const params = { invitation_id: json.id }
    expect((await api.call('revokeInvitation', { as: owner, params })).status).toBe(200)
    now += HOUR_MS + 1_000
    const last = newAddress()
    await invite(last)
    await arrived(last)
    expect(mail.to(email)).toHaveLength(1)
  })

  test('who can decide learns that something waits; others, and who switched it off, do not', async () => {
    const emails = [newAddress(), newAddress(), newAddress()] as const
    const people: Identity[] = []
    for (const email of emails) {
      const person = await signedIn(`user_${randomUUID()}`, email, '192.0.2.2')
      const { json } = await invite(email)
      await api.call('acceptInvitation', { as: person, body: { token: json.token } })
      people.push({ ...person, tenantId: owner.tenantId })
    }
    const [second, silent, member] = people as [Identity, Identity, Identity]
    for (const { userId } of [second, silent])
      await api.call('changeMemberRole', { as: owner, params: { user_id: userId }, body: { role: 'owner' } })
    const choice = await api.call('changeOwnMails', { as: silent, body: { off: ['waiting'] } })
    expect(choice.json).toEqual({ sent: true, off: ['waiting'] })
    const bundle = await newBundle(api, owner, { URL: 's3cret-of-mails' })
    await propose(api, member, { bundle: bundle.name, values: { URL: 's3cret-proposed' } })
    const find = () => mail.to(emails[0]).find(({ subject }) => subject.includes('approval'))
    await expect.poll(find).toBeDefined()
    const waiting = find()
    expect(waiting?.text).toContain('One request waits for your decision')
    expect(waiting?.text).toContain(
      `Open the list of what waits for you: ${PUBLIC_URL}/w/${owner.tenantId}/waiting\n`,
    )
    for (const address of emails.slice(1))
      expect(mail.to(address).map(({ subject }) => subject)).not.toContain('Somebody waits for your approval')
    expect(mail.arrived.map(({ raw }) => raw).join('')).not.toMatch(/s3cret|\/approve\//)
  })

  test('a limited member learns when something within reach waits, and never when something else does', async () => {
    const [email, witness] = [newAddress(), newAddress()]
    const join = async (address: string, limit: object) => {
      const person = await signedIn(`user_${randomUUID()}`, address, '192.0.2.30')
      const body = { email: address, role: 'member', ...limit }
      const { json } = await api.call('createInvitation', { as: owner, body })
      await api.call('acceptInvitation', { as: person, body: { token: json.token } })
    }
    await join(email, { limited_to: ['partner/'] })
    await join(witness, {})
    await api.call('changeTenantPolicy', { as: owner, body: { approvals_needed: 2 } })
    const support = async (name: string) => {
      const { json } = await api.call('createBundle', { as: owner, body: { name } })
      const key = await api.call('createKey', {
        as: owner,
        body: { name: `K_${randomUUID().slice(0, 8)}`.toUpperCase(), value: 'v' },
      })
      await api.call('attachKey', {
        as: owner,
        params: { bundle_id: json.id, key_id: key.json.id },
        body: { as: 'URL' },
      })
      const requestId = await new ApprovalClient(api).asked({ bundle_id: name })
      const approved = { requestId, bundle_id: json.id, include_keys: ['URL'] }
      expect((await approveWith(api, owner, approved)).status).toBe(200)
    }
    await support(`partner/${randomUUID()}`)
    await expect.poll(() => [about(email), about(witness)]).toEqual([1, 1])
    now += HOUR_MS + 1_000
    await support(`hidden/${randomUUID()}`)
    await expect.poll(() => about(witness)).toBe(2)
    expect(about(email)).toBe(1)
  })

  test('a mail about remembered approvals names those that are valid when it is sent', async () => {
    const email = newAddress()
    const as = await signedIn(`user_${randomUUID()}`, email, '192.0.2.40')
    const names: string[] = []
    const remember = async () => {
      const key = `URL_${names.length}`
      const bundle = await newBundle(api, as, { [key]: 'v' })
      names.push(bundle.name)
      const client = new ReturningClient(api)
      const [argv, cwd, use] = [['npm', 'start'], '/srv', { redaction: 'auto', flags: [] }]
      const signed = {
        clientPublicKey: client.keyPair.publicKey,
        bundle: bundle.name,
        workspace: undefined,
        templateKeys: [],
        argv,
        argvMasked: undefined,
        cwd,
        agent: undefined,
        reason: undefined,
        use,
      }
      const device = signDeviceRequest(createDeviceSeed(), signed, new Date(now).toISOString())
      const body = { bundle_id: bundle.name, argv, cwd, template_keys: [], use, device }
      const requestId = await client.asked({ ...client.returning(), ...body })
      const choice = { include_keys: [key], release: 'loopback', remember_hours: 8 }
      const { json } = await approveWith(api, as, { requestId, bundle_id: bundle.id, ...choice })
      expect((await client.release(requestId, secretOf(json))).status).toBe(200)
    }
    await remember()
    await arrived(email)
    expect(mail.to(email)[0]?.text).toContain(`for the bundle ${quoted(names[0] ?? '')} until`)
    await remember()
    await remember()
    const grants = (await api.call('listGrants', { as })).json
    const second = grants.find(({ bundle }) => bundle.name === names[1])?.id ?? ''
    expect((await api.call('revokeGrant', { as, params: { grant_id: second } })).status).toBe(200)
    // Who switches the mail off does not stop one that is queued. A mail about the sign-in may still wait too.
    const waiting = database.query.selectFrom('mail_messages').select('kind').where('state', '=', 'waiting')
    await expect
      .poll(() => waiting.where('address_key', '=', email).execute())
      .toContainEqual({ kind: 'remembered' })
    await api.call('changeOwnMails', { as, body: { off: ['remembered'] } })
    await arrived(email, 2)
    expect(paragraphsOf(mail.to(email)[0]).slice(-3)).toEqual([
      'Your account lists all of them. If one is not yours, revoke them there.',
      OPEN_ACCOUNT,
      SWITCH_OFF,
    ])
    expect(paragraphsOf(mail.to(email)[1]).slice(0, 2)).toEqual([
      'Your account no longer gets these mails:',
      'an approval in your name is remembered',
    ])
    now += HOUR_MS + 1_000
    await arrived(email, 3)
    const bundles = /“(test[^”]+)”/g
    const named = [...(mail.to(email)[2]?.text ?? '').matchAll(bundles)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set([names[0], names[2]]))
  })

  test('a sign-in from a new network address is seen once, to a verified address', async () => {
    const [id, email] = [`user_${randomUUID()}`, newAddress()]
    await signedIn(id, email, '192.0.2.10')
    await signedIn(id, email, '192.0.2.10')
    await signedIn(id, email, '192.0.2.11')
    await arrived(email)
    expect(paragraphsOf(mail.to(email)[0])).toEqual([
      /^Somebody signed in to your account on .* from 192\.0\.2\.11, a network address that you did not use before\.$/,
      'If that was not you, open your account, sign out everywhere, and change how you sign in.',
      OPEN_ACCOUNT,
      SWITCH_OFF,
    ])
    const unproven = newAddress()
    const body = { idp_user_id: `user_${randomUUID()}`, email: unproven }
    for (const from of ['192.0.2.20', '192.0.2.21'])
      await api.call('ensureUser', { body, headers: { 'x-forwarded-for': from } })
    now += HOUR_MS + 1_000
    await signedIn(id, email, '192.0.2.12')
    await arrived(email, 2)
    expect(mail.to(unproven)).toEqual([])
  })

  test('owners learn once which values expire soon', async () => {
    const email = newAddress()
    const as = await signedIn(`user_${randomUUID()}`, email, '192.0.2.3')
    const member = newAddress()
    await invite(member, as)
    await arrived(member)
    const person = await signedIn(`user_${randomUUID()}`, member, '192.0.2.4')
    const token = /\/invite\/(\S+)/.exec(mail.to(member)[0]?.text ?? '')?.[1] ?? ''
    expect((await api.call('acceptInvitation', { as: person, body: { token } })).status).toBe(200)
    const expires_at = new Date(now + 24 * HOUR_MS).toISOString()
    await api.call('createKey', { as, body: { name: 'DB_PASSWORD', value: 's3cret', expires_at } })
    await arrived(email)
    expect(mail.to(email)[0]?.text).toContain(`“DB_PASSWORD” on ${expires_at.slice(0, 10)}`)
    expect(mail.to(email)[0]?.text).toMatch(/“DB_PASSWORD” on \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m)
    now += 2 * HOUR_MS
    const last = newAddress()
    await invite(last)
    await arrived(last)
    expect(mail.to(email)).toHaveLength(1)
    expect(JSON.stringify(mail.to(member))).not.toContain('DB_PASSWORD')
  })

  test('after an outage of more than a day, owners learn what expires and what joined a mail that waits', async () => {
    const email = newAddress()
    const as = await signedIn(`user_${randomUUID()}`, email, '192.0.2.50')
    await mail.stop()
    const expires_at = new Date(now + 96 * HOUR_MS).toISOString()
    await api.call('createKey', { as, body: { name: 'DB_PASSWORD', value: 's3cret', expires_at } })
    const kept = database.query.selectFrom('mail_messages').select('state').where('address_key', '=', email)
    const expiry = async () => await kept.where('kind', '=', 'key_expires').orderBy('created_at').execute()
    await expect.poll(expiry).toEqual([{ state: 'waiting' }])
    now += 25 * HOUR_MS
    await expect.poll(expiry).toEqual([{ state: 'refused' }, { state: 'waiting' }])
    const joined = newAddress()
    await invite(joined, as)
    await expect.poll(() => states(joined)).toEqual([{ state: 'waiting', attempts: 1 }])
    now += 20 * HOUR_MS
    await expect.poll(() => states(joined)).toEqual([{ state: 'waiting', attempts: 2 }])
    await invite(joined, as)
    const ends = database.query.selectFrom('mail_messages').select('give_up_at')
    const last = async () => await ends.where('address_key', '=', joined).execute()
    const day = new Date(now + 24 * HOUR_MS).toISOString()
    await expect.poll(last).toEqual([{ give_up_at: day }])
    now += 5 * HOUR_MS
    await mail.start()
    await arrived(joined)
    await arrived(email)
    expect(mail.to(email)[0]?.text).toContain('“DB_PASSWORD”')
  })

  test('a receiver that defers gets the mail later; one that refuses is not asked again', async () => {
    const [deferring, refusing] = [newAddress(), newAddress()]
    const seen = new Set<string>()
    mail.refusal = (to) => {
      if (to === refusing) return { code: 550, text: 'no such user' }
      const isFirst = to === deferring && !seen.has(to)
      seen.add(to)
      return isFirst ? { code: 451, text: 'greylisted, try again' } : null
    }
    onTestFinished(() => {
      mail.refusal = null
    })
    await invite(deferring)
    await invite(refusing, await api.newOwner())
    await expect.poll(() => mail.named.filter((to) => to === deferring || to === refusing).length).toBe(2)
    expect(await warnings()).not.toContain('failing in the background: mail')
    now += 2 * 60_000
    await arrived(deferring)
    now += 2 * HOUR_MS
    const last = newAddress()
    await invite(last, await api.newOwner())
    await arrived(last)
    expect(mail.named.filter((to) => to === refusing)).toHaveLength(1)
  })

  test('an invitation that no longer counts when its mail is due is not sent, and not tried again', async () => {
    const [email, other] = [newAddress(), newAddress()]
    const second = await joinWorkspace(api, owner, 'owner')
    mail.refusal = (to) => (to === email ? { code: 451, text: '4.7.1 Try again later' } : null)
    await invite(email, second)
    await expect.poll(() => states(email)).toEqual([{ state: 'waiting', attempts: 1 }])
    const params = { user_id: second.userId }
    expect((await api.call('changeMemberRole', { as: owner, params, body: { role: 'member' } })).status).toBe(
      200,
    )
    mail.refusal = null
    // The next try is due, and the mail is not given up yet.
    now += 2 * 60 * 1_000
    await invite(other)
    await arrived(other)
    await expect.poll(async () => (await states(email)).map(({ state }) => state)).toEqual(['dropped'])
    expect(mail.to(email)).toEqual([])
  })

  if (kind === 'sqlite')
    test('a mail whose receiver could not be claimed is sent at a later try', async () => {
      const address = newAddress()
      const before = api.log().length
      const refusing = sql`create trigger unclaimed before update of claimed_by on mail_receivers
        when old.id = ${sql.lit(address)} begin select raise(abort, 'unclaimed'); end`
      const accepting = sql`drop trigger if exists unclaimed`
      await refusing.execute(database.query)
      onTestFinished(async () => {
        await accepting.execute(database.query)
      })
      await invite(address)
      await until('a failed claim', () => api.log().slice(before).includes('"mails not sent"'))
      await accepting.execute(database.query)
      await arrived(address)
    })

  test('the log has the codes of a mail that is not sent, and never an address', async () => {
    const email = newAddress()
    mail.refusal = (to) => (to === email ? { code: 554, text: `5.7.1 <${to}>: Relay access denied` } : null)
    onTestFinished(() => {
      mail.refusal = null
    })
    await invite(email)
    await expect.poll(() => states(email)).toEqual([{ state: 'refused', attempts: 1 }])
    const lines = api.log().split('\n')
    const line = lines.findLast((each) => each.includes('mail not sent'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      end: 'refused',
      command: 'RCPT TO',
      answer: '554 5.7.1',
    })
    expect(line).not.toContain(email)
  })

  test('the server introduces itself by its public name', async () => {
    const email = newAddress()
    await invite(email)
    await arrived(email)
    expect([...mail.greeted]).toEqual(['keyferry.example.com'])
  })

  test('a mail that the server got and did not answer is sent three times at most; a refused one once', async () => {
    const [unclear, refused] = [newAddress(), newAddress()]
    mail.verdict = (to) =>
      to === unclear ? 'none' : to === refused ? { code: 554, text: 'looks like spam' } : null
    onTestFinished(() => {
      mail.verdict = null
    })
    await invite(refused)
    await invite(unclear, await api.newOwner())
    await expect.poll(() => states(refused)).toEqual([{ state: 'refused', attempts: 1 }])
    await expect.poll(() => states(unclear)).toEqual([{ state: 'waiting', attempts: 1 }])
    now += 0.9 * HOUR_MS
    const last = newAddress()
    await invite(last, await api.newOwner())
    await arrived(last)
    expect(mail.to(unclear)).toHaveLength(1)
    now += 0.2 * HOUR_MS
    await expect.poll(() => states(unclear)).toEqual([{ state: 'waiting', attempts: 2 }])
    now += 1.1 * HOUR_MS
    await expect.poll(() => states(unclear)).toEqual([{ state: 'refused', attempts: 3 }])
    expect([mail.to(unclear).length, mail.to(refused).length]).toEqual([3, 1])
    expect(new Set(mail.to(unclear).map(({ id }) => id)).size).toBe(1)
    expect(await warnings()).not.toContain('failing in the background: mail')
  })

  test('without its mail server the API works, says so in /readyz, and sends later', async () => {
    const email = newAddress()
    await mail.stop()
    expect((await invite(email)).status).toBe(201)
    await expect.poll(warnings).toContain('failing in the background: mail')
    expect(api.log()).toMatch(/"error":"[^"]*ECONNREFUSED[^"]*".*"mail not sent"/)
    await mail.start()
    now += 2 * 60_000
    await arrived(email)
    await expect.poll(warnings).not.toContain('failing in the background: mail')
  })
})

test('a server with a certificate that nobody vouches for gets no mail', async () => {
  const mail = new MailServer({ secure: true })
  await mail.start()
  const api = await startTestApi('sqlite', { mail: mailTo(mail.url.replace('smtp:', 'smtps:')) })
  onTestFinished(async () => {
    await api.close()
    await mail.stop()
  })
  const owner = await api.newOwner()
  await api.call('createInvitation', { as: owner, body: { email: 'sam@example.com', role: 'member' } })
  const ready = async () => await (await fetch(`${api.address}/readyz`)).text()
  await expect.poll(ready).toContain('failing in the background: mail')
  expect(mail.arrived).toEqual([])
})

test('a server that answers without end is left after a while', async () => {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined))
    const line = setInterval(() => socket.write('220-wait\r\n'), 20)
    socket.on('close', () => {
      clearInterval(line)
      open.delete(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const noted: boolean[] = []
  const parts = { noteServer: (isFailing: boolean) => noted.push(isFailing), log: pino({ level: 'silent' }) }
  const send = mailCaller(mailTo(`smtp://127.0.0.1:${port}`), parts, 300)
  const mail = { id: 'm1', to: 'sam@example.com', subject: 's', text: 't', html: 'h' }
  expect(await send(mail, new AbortController().signal)).toMatchObject({ end: 'failed' })
  expect(noted).toEqual([true])
  await expect.poll(() => open.size).toBe(0)
  expect(await send(mail, AbortSignal.abort())).toBeNull()
})

test('only a server on this machine gets mails without TLS', () => {
  expect(transportOf(mailTo('smtp://mail.example.com'))).toMatchObject({
    port: 587,
    secure: false,
    requireTLS: true,
  })
  expect(transportOf(mailTo('smtps://sam:p%40ss@mail.example.com'))).toMatchObject({
    port: 465,
    secure: true,
    auth: { user: 'sam', pass: 'p@ss' },
  })
  expect(transportOf(mailTo('smtp://mail.example.com:465'))).toMatchObject({ port: 465, secure: true })
  expect(transportOf(mailTo('smtp://localhost:2525'))).toMatchObject({
    port: 2525,
    requireTLS: false,
    ignoreTLS: true,
  })
})

test('a remembered approval makes a mail to who approved, and a support on its way to its terminal makes none', () => {
  const entry: MailEntry = {
    action: 'grant.created',
    target: { kind: 'bundle', id: 'b1', name: 'dev/app' },
    data: { hours: 8 },
    seq: 7,
    actor: { kind: 'user', id: 'u1' },
  }
  expect(mailsOf(entry, 't1')).toEqual([{ kind: 'remembered', to: 'actor', topic: 't1', facts: {} }])
  const first = { ...entry, action: 'delivery.first_approved' } as const
  expect(mailsOf({ ...first, data: { release: 'loopback' } }, 't1')).toEqual([])
  expect(mailsOf({ ...first, data: {} }, 't1')).toMatchObject([{ kind: 'waiting', to: 'deciders' }])
})

const databaseUrl = await freshPostgres()

test.runIf(databaseUrl)(
  'two nodes send each mail once, and one sends what the other left behind',
  async () => {
    const mail = new MailServer()
    await mail.start()
    const { rootKeys } = testSettings()
    const newNode = () => startTestApi('sqlite', { databaseUrl, rootKeys, mail: mailTo(mail.url) })
    const [first, second] = [await newNode(), await newNode()]
    onTestFinished(async () => {
      await Promise.all([first.close(), second.close()])
      await mail.stop()
    })
    const addresses = Array.from({ length: 30 }, () => `${randomUUID()}@example.com`)
    for (const [index, email] of addresses.entries()) {
      const node = index % 2 === 0 ? first : second
      const as = await node.newOwner()
      expect((await node.call('createInvitation', { as, body: { email, role: 'member' } })).status).toBe(201)
    }
    await expect.poll(() => mail.arrived.length).toBe(30)
    const late = `${randomUUID()}@example.com`
    const database = await openDatabase(databaseUrl ?? '')
    const as = await first.newOwner()
    const { tenantId } = as
    // What a node leaves behind that ends while it sends.
    const gone = {
      claimed_by: 'a node that ended',
      claimed_until: new Date(Date.now() + 2_000).toISOString(),
    }
    await database.query
      .insertInto('mail_receivers')
      .values({ id: late, next_at: '', failures: 0, ...gone })
      .execute()
    await first.call('createInvitation', { as, body: { email: late, role: 'member' } })
    await expect.poll(() => mail.to(late).length).toBe(1)
    const queued = selectOf(database.query, 'mail_messages', { tenantId, kind: 'invitation' })
    expect(await queued.select('attempts').execute()).toEqual([{ attempts: 1 }])
    await database.close()
    expect(mail.arrived.map(({ to }) => to).toSorted()).toEqual([...addresses, late].toSorted())
  },
)

test('a name that a person chose stays on one line, short and quoted, and no mail program makes a link of it', () => {
  const name = 'Ops\r\nBcc: all@example.com \u202e“x”'
  expect(quoted(name)).toBe("“Ops Bcc: all@example. com 'x'”")
  expect(quoted('https://kf.example.com/approve/1')).toBe('“https: //kf. example. com/approve/1”')
  expect(quoted('kf。example。com \\\\host\\x')).toBe('“kf。 example。 com \\ \\ host\\ x”')
  expect(quoted('dev/app')).toBe('“dev/app”')
  expect(quoted('a'.repeat(200))).toBe(`“${'a'.repeat(60)}…”`)
})
