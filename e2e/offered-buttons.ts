import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { QUESTIONS } from '../web/app/features/rules/rule-words.ts'
import { type SessionCookie, sessionHeaders } from './app-accounts.ts'

/** A person's session in one workspace. */
export type Acting = { url: string; workspace: string | undefined; cookie: SessionCookie }

/** `json`: as far as this walk reads it. */
type Answer = { status: number; json: Record<string, string> & { tokens?: { id: string }[] } }

/** A call as the person makes it. */
export async function act(by: Acting, address: string, body?: unknown): Promise<Answer> {
  const [method = '', path = ''] = address.split(' ')
  const response = await fetch(`${by.url}/api/v1${path}`, {
    method,
    headers: {
      ...sessionHeaders(by.url, by.cookie),
      ...(by.workspace === undefined ? {} : { 'keyferry-workspace': by.workspace }),
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, json: text === '' ? {} : JSON.parse(text) }
}

export async function made(by: Acting, address: string, body?: unknown): Promise<string> {
  const { status, json } = await act(by, address, body)
  if (status >= 300) throw new Error(`${address}: ${status} ${JSON.stringify(json)}`)
  return json['id'] ?? ''
}

/** What a page may offer, with the call that it ends in; a list of names where several controls end in one. Calls that
 * remove something come last. `needs`: an earlier offer without which another page makes this one. */
export type Offer = readonly [
  offered: string | readonly string[],
  address: string,
  body?: unknown,
  needs?: string,
]

/** `open`: what a person does first, and waits for. `harmless`: what calls nothing here. */
export type Walked = {
  path: string
  offers: readonly Offer[]
  open?: (page: Page) => Promise<void>
  harmless?: RegExp
}

const wordsOf = (place: string) => Object.values(QUESTIONS).map(({ label }) => `${label}, ${place}`)

/** What calls nothing, or only reads. */
const HARMLESS =
  /^(Machines$|Rules$|Copy(?! \d| to )|Show|Hide|Compare|Export|Filter|Search|Select |Clear|How to |More for|Link: |Open a )/

// What a person reads of each control: its label without the hint below; of a menu, its items.
const NAMES = `(async () => {
  const names = []
  for (const control of document.querySelectorAll('main :is(button, select, input, textarea, a.inline-flex.border)')) {
    const text = control.getAttribute('aria-label') ?? control.labels?.[0]?.innerText ?? control.innerText
    const label = control.ariaHasPopup === 'menu' ? text.split(':')[0] : text
    if (control.disabled && label.startsWith('Import ')) continue
    names.push(/^(Add|Change) /.test(control.title) ? control.title : label.trim().replace(/\\n[^]*/, '').replace(/(the token) .*/, '$1').replace(/^Value of (.*) in .*/, 'Field of $1'))
    const menu = label.startsWith('More for ') ? document.getElementById(control.getAttribute('popovertarget')) : null
    if (menu === null) continue
    menu.showPopover()
    for (let turns = 0; turns < 20 && menu.children.length === 0; turns += 1) await new Promise(requestAnimationFrame)
    for (const item of menu.children) names.push(label.replace('More for ', '') + ': ' + item.innerText.trim())
    menu.hidePopover()
  }
  return names
})()`

const isOurs = (name: string): boolean => name !== '' && !HARMLESS.test(name.replace(/^.*: /, ''))

/** Every button, choice, field and menu item of a page that is not harmless. */
export async function offeredOn(page: Page, harmless = /^$/): Promise<string[]> {
  const names = await page.evaluate<string[]>(NAMES)
  return [...new Set(names.filter((name) => isOurs(name) && !harmless.test(name)))].toSorted()
}

type Visit = { by: Acting; pages: readonly Walked[] }

/** Walk pages as a person: each offers exactly what the server allows. The calls that tell what it allows are made in a
 * world like the one that is seen, so that they change nothing there. */
export async function expectHonest(
  page: Page,
  { seen, tried, what }: { seen: Visit; tried: Visit; what: string },
): Promise<void> {
  for (const [index, { offers }] of tried.pages.entries()) {
    const allowed = new Set<string>()
    for (const [names, address, body, needs] of offers) {
      const { status } = await act(tried.by, address, body)
      if (status !== 403 && (needs === undefined || allowed.has(needs)))
        for (const name of [names].flat()) allowed.add(name)
    }
    const { path = '', open, harmless } = seen.pages[index] ?? {}
    await page.goto(`${seen.by.url}/w/${seen.by.workspace}${path}`)
    await page.locator('main h1').first().waitFor()
    await open?.(page)
    await expect
      .poll(() => offeredOn(page, harmless), { message: `${what}: ${path}` })
      .toEqual([...allowed].toSorted())
  }
}

/** A workspace of its own for one rule and one role: the bundles `dev/b` of the owner and `dev/m` of the member, each
 * with a key of both and a secret that `dev/c` shares. */
export async function newWorld(
  url: string,
  people: { owner: SessionCookie; member: SessionCookie },
  rule: Record<string, unknown>,
) {
  const suffix = randomUUID().slice(0, 8)
  const outside = { url, workspace: undefined }
  const workspace = await made({ ...outside, cookie: people.owner }, 'POST /tenants', {
    name: `Buttons ${suffix}`,
  })
  const [o, m] = [people.owner, people.member].map((cookie) => ({ url, workspace, cookie })) as [
    Acting,
    Acting,
  ]
  const me = (await act({ ...outside, cookie: people.member }, 'GET /me')).json
  const { json } = await act(o, 'POST /invitations', { email: me['email'], role: 'member' })
  await act({ ...outside, cookie: people.member }, 'POST /invitations/accept', { token: json['token'] })
  const secret = (by: Acting, name: string) =>
    made(by, 'POST /keys', { name, value: 'planted', is_secret: true })
  const bundle = (by: Acting, name: string) => made(by, 'POST /bundles', { name })
  const [b, mine, c] = [await bundle(o, 'dev/b'), await bundle(m, 'dev/m'), await bundle(o, 'dev/c')]
  const keys = {
    OWNERS: await secret(o, 'OWNERS'),
    MEMBERS: await secret(m, 'MEMBERS'),
    SHARED: await secret(o, 'SHARED'),
    OWNERS_M: await secret(o, 'OWNERS_M'),
    MEMBERS_M: await secret(m, 'MEMBERS_M'),
    SHARED_M: await secret(o, 'SHARED_M'),
  }
  await act(o, `PUT /keys/${keys.OWNERS}`, { value: 'second' })
  const attach = (at: string, key: string) => made(o, `POST /bundles/${at}/keys/${key}`, {})
  for (const key of [keys.OWNERS, keys.MEMBERS, keys.SHARED]) await attach(b, key)
  for (const key of [keys.OWNERS_M, keys.MEMBERS_M, keys.SHARED_M]) await attach(mine, key)
  for (const key of [keys.SHARED, keys.SHARED_M]) await attach(c, key)
  const { production, ...changers } = rule
  await act(o, 'PUT /tenants/current/policy', changers)
  if (production !== undefined)
    for (const id of [b, mine]) await act(o, `PUT /bundles/${id}/policy`, { production })
  return { owner: o, member: m, b, mine, c, keys, suffix, me }
}

export type World = Awaited<ReturnType<typeof newWorld>>

/** What the page of an application offers for one of its variables. */
function ofVariable(
  [at, bundle]: readonly [string, string],
  [name, key]: readonly [string, string],
): Offer[] {
  const path = `/bundles/${at}/keys/${key}`
  const entry = `${name} in ${bundle}`
  return [
    // Nobody has read that version: 409, once the person may.
    [
      [`Change ${entry}`, `Change ${name} in dev`],
      `PUT /keys/${key}`,
      { value: 'x', expected_version: 9_999 },
    ],
    [`${entry}: Rename`, `PUT ${path}`, { as: `${name}_X` }],
    [`${entry}: Required`, `PUT ${path}`, { required: true }],
    [`${entry}: Remove from ${bundle}`, `DELETE ${path}`],
  ]
}

/** What the page of an application offers for a bundle as a whole. */
export const ofBundle = (at: string, name: string): [Offer[], Offer] => [
  [
    [
      ['Add variable', 'Bring in'],
      'POST /imports',
      // A name of its own: after a duplicate, the other bundle's rules count for the one before.
      { bundle: name, entries: [{ name: `A_${randomUUID().slice(0, 8)}`, value: 'x', is_secret: true }] },
    ],
    [`${name}: Edit`, `PUT /bundles/${at}`, { description: 'edited' }],
    [`${name}: Duplicate`, `POST /bundles/${at}/duplicate`, { name: `${name}-copy` }],
    [`${name}: Activity`, 'GET /audit'],
  ],
  [`${name}: Delete`, `DELETE /bundles/${at}`],
]

/** Open the row of each variable. */
async function openRows(page: Page): Promise<void> {
  const closed = page.getByRole('table').locator('button[aria-expanded="false"][data-at]')
  await closed.nth(2).waitFor()
  for (let left = await closed.count(); left > 0; left -= 1) await closed.first().click()
  await expect.poll(() => page.getByRole('link', { name: 'History and holders' }).count()).toBe(3)
}

const isRemoval = ([, address]: Offer): boolean => address.startsWith('DELETE')

/** Filters, names of variables and cells that only open their row. */
export const TABLE =
  /^(All|Missing|Due|Older holders)( in .*)? \d+$|^(OWNERS|MEMBERS|SHARED)(_M)?$|^dev\S*\d+$| in \S+: [^A-Z]/

function bundlePage(at: string, name: string, keys: readonly (readonly [string, string])[]): Walked {
  const all = keys.flatMap((variable) => ofVariable([at, name], variable))
  const shared = keys.filter(([variable]) => variable.startsWith('SHARED'))
  const [first, last] = ofBundle(at, name)
  return {
    path: `/bundles/${at}`,
    open: openRows,
    harmless: TABLE,
    offers: [
      ...first,
      ...all.filter((offer) => !isRemoval(offer)),
      ...all.filter(isRemoval),
      ...shared.map(
        ([, key]): Offer => ['Give it its own value', `POST /bundles/${at}/keys/${key}/split`, {}],
      ),
      last,
    ],
  }
}

function keyPages([name, key]: readonly [string, string]): Walked[] {
  const path = `PUT /keys/${key}`
  return [
    {
      path: `/keys/${key}/change`,
      harmless: /^(Save( in dev)?|Cancel)$/,
      offers: [
        // Nobody has read that version: 409, once the person may.
        [[`Field of ${name}`, 'Generate 32 random bytes'], path, { value: 'x', expected_version: 9_999 }],
        ...menuOfKey(name, key),
      ],
    },
    {
      path: `/keys/${key}/details`,
      harmless: /^Cancel$/,
      offers: [
        [['Description', 'Save changes', 'Change'], path, { description: 'edited' }],
        [['Expires on (optional)', 'Replace after days (optional)'], path, { rotate_after_days: 30 }],
        ['Who can read it', path, { is_secret: false }],
        ...menuOfKey(name, key),
      ],
    },
  ]
}

/** The menu of a key's page. */
export const menuOfKey = (name: string, key: string): readonly Offer[] => [
  [`${name}: Change details`, `PUT /keys/${key}`, { description: 'menu' }],
  [`${name}: Activity`, 'GET /audit'],
  // A key that does not exist: 404, once the person may.
  [`${name}: Delete`, `DELETE /keys/${randomUUID()}`],
]

/** The pages whose offers depend on the role alone. */
export async function rolePages(
  { owner: o, suffix, me }: World,
  role: 'owner' | 'member',
): Promise<Walked[]> {
  const { workspace } = o
  const ruled = await made(o, 'POST /bundles', { name: 'dev/r' })
  const machine = await made(o, 'POST /machines', { name: `ci-${suffix}` })
  const at = `/machines/${machine}`
  const webhook = await made(o, 'POST /webhooks', {
    url: `https://hooks.example.com/${suffix}`,
    events: ['bundle.deleted'],
  })
  await made(o, `PUT ${at}/bundles/${ruled}`, { scope: 'read' })
  await act(o, `POST ${at}/tokens`, {})
  const [token] = (await act(o, `GET ${at}`)).json.tokens ?? []
  return [
    { path: '/machines', offers: [['New machine', 'POST /machines', { name: `new-${suffix}` }]] },
    {
      path: at,
      offers: [
        [['Edit', 'Disable'], `PUT ${at}`, { description: 'edited' }],
        [['Add bundle', 'What it may do with dev/r'], `PUT ${at}/bundles/${ruled}`, { scope: 'read' }],
        ['Remove dev/r', `DELETE ${at}/bundles/${ruled}`],
        ['Add identity', `POST ${at}/trusts`, {}],
        ['Create token', `POST ${at}/tokens`, {}],
        ['Rotate the token', `POST ${at}/tokens/${token?.id}/rotate`, {}],
        ['End the token', `DELETE ${at}/tokens/${token?.id}`],
        ['Delete', `DELETE ${at}`],
      ],
    },
    {
      path: '/settings/workspace',
      offers: [
        [['Name', 'Rename'], `PUT /tenants/${workspace}`, { name: `Renamed ${suffix}` }],
        ['New webhook', 'POST /webhooks', {}],
      ],
    },
    {
      path: `/rules?bundle=${ruled}&folder=dev/`,
      offers: [
        [
          [
            ...wordsOf('all bundles'),
            ...wordsOf('dev/'),
            'Bundle or folder',
            'Return approvals to the terminal',
          ],
          'PUT /tenants/current/policy',
          { agents: 'deny' },
        ],
        [[...wordsOf('dev/r'), 'not for production'], `PUT /bundles/${ruled}/policy`, { agents: 'deny' }],
      ],
    },
    {
      path: `/settings/webhooks/${webhook}`,
      offers: [
        [['Edit', 'Disable'], `PUT /webhooks/${webhook}`, { description: 'edited' }],
        ['Send test', `POST /webhooks/${webhook}/test`],
        ['New secret', `POST /webhooks/${webhook}/secret`, {}],
        ['Delete', `DELETE /webhooks/${webhook}`],
      ],
    },
    {
      path: '/members',
      offers: [
        [['E-mail', 'Role', 'Limit or group', 'Invite'], 'POST /invitations', {}],
        [['New group'], 'POST /groups', {}],
        // A member can only leave. The last owner stays.
        [
          `Role of ${me['username']}`,
          `${role === 'member' ? 'DELETE' : 'PUT'} /members/${me['user_id']}`,
          { role: 'member' },
        ],
      ],
    },
  ]
}

/** The pages whose offers depend on rules. */
export function ruledPages({ b, mine, keys }: World): Walked[] {
  const { OWNERS, MEMBERS, SHARED, OWNERS_M, MEMBERS_M, SHARED_M } = keys
  return [
    bundlePage(b, 'dev/b', Object.entries({ OWNERS, MEMBERS, SHARED })),
    bundlePage(mine, 'dev/m', Object.entries({ OWNERS_M, MEMBERS_M, SHARED_M })),
    ...keyPages(['MEMBERS', MEMBERS]),
    ...keyPages(['OWNERS_M', OWNERS_M]),
    {
      path: `/keys/${OWNERS}`,
      offers: [
        ['Change', `PUT /keys/${OWNERS}`, { description: 'edited' }],
        ['Restore', `POST /keys/${OWNERS}/restore`, { version: 1 }],
        ['Destroy v1', `DELETE /keys/${OWNERS}/versions/1`],
        ...menuOfKey('OWNERS', OWNERS),
      ],
    },
  ]
}
