import { randomUUID } from 'node:crypto'
import { createClient } from '@keyferry/contract/client'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { sessionHeaders } from './app-accounts.ts'
import { askApproval } from './app-library.ts'
import { deliver } from './app-memory.ts'
import { readRequest } from './app-page.ts'
import {
  type Acting,
  act,
  made,
  menuOfKey,
  type Offer,
  ofBundle,
  offeredOn,
  TABLE,
  type Walked,
  type World,
} from './offered-buttons.ts'

const importOf = (bundle: string, name: string, from?: string) => ({
  bundle,
  entries: [from === undefined ? { name, value: 'x', is_secret: true } : { name, from }],
  own: [name],
})

/** What the page of `dev/b` calls the bundles. */
const LABELS = { 'dev/b': 'dev', 'dev/c': 'dev/c' } as const

/** The pages that write into several bundles, or into one that the person names. The table shows one name, which only
 * `dev/m` has, beside two bundles that lack it. */
export function editPages({ b, c, mine, keys: { OWNERS_M } }: World): Walked[] {
  const all = { 'dev/b': b, 'dev/c': c, 'dev/m': mine }
  const unknown = randomUUID()
  return [
    {
      path: '/apps/dev/b?with=dev/c&with=dev/m&query=OWNERS_M',
      open: async (page) => {
        await page.getByRole('button', { name: 'OWNERS_M', exact: true }).hover()
        await page.getByRole('checkbox', { name: 'Select OWNERS_M' }).check()
        // What can be done with the keys loads with the first selection.
        const actions = page
          .getByRole('region', { name: 'Selection' })
          .getByText(/^(Delete|Only owners can delete)/)
        await actions.first().waitFor()
      },
      harmless: TABLE,
      offers: [
        ...Object.entries(all).flatMap(([name, at]) => ofBundle(at, name)[0]),
        ...(['dev/b', 'dev/c'] as const).flatMap((name): Offer[] => [
          [`Copy to ${LABELS[name]} 1 missing`, 'POST /imports', importOf(name, 'OWNERS_M', 'dev/m')],
          [`Add OWNERS_M in ${name}`, 'POST /imports', importOf(name, 'ADDED_C')],
        ]),
        // Nobody has read that version: 409, once the person may.
        ['Change OWNERS_M in dev/m', `PUT /keys/${OWNERS_M}`, { value: 'x', expected_version: 9_999 }],
        ['Delete', `DELETE /keys/${unknown}`],
        ...Object.keys(all).map((name): Offer => [`${name}: Delete`, `DELETE /bundles/${unknown}`]),
      ],
    },
    {
      path: '/bundles/import?bundle=dev/b',
      open: fillImport,
      harmless:
        /^(Bundle|Content of the|Choose a file|File to import|The \.env file|ADDED_I$|Who can read |Mark it)/,
      offers: [['Import 1 variable', 'POST /imports', importOf('dev/b', 'ADDED_I')]],
    },
  ]
}

/** The page of a key's holders, after a terminal got its value from a bundle. */
export async function holdersPage(owner: Acting): Promise<Walked> {
  const { url, cookie, workspace = '' } = owner
  const bundleId = await made(owner, 'POST /bundles', { name: 'dev/held' })
  const key = await made(owner, 'POST /keys', { name: 'HELD', value: 'planted', is_secret: true })
  await made(owner, `POST /bundles/${bundleId}/keys/${key}`, {})
  const headers = { ...sessionHeaders(url, cookie), 'keyferry-workspace': workspace }
  await deliver(url, { bundleId, names: ['HELD'], headers })
  const params = { key_id: key }
  const [held] = await createClient(url)('GET', '/api/v1/keys/{key_id}/holders', { params, headers })
  return {
    path: `/keys/${key}`,
    offers: [
      [`Dismiss ${held?.name} on sam@sams-laptop`, `DELETE /keys/${key}/holders/${held?.holder}`],
      ['Change', `PUT /keys/${key}`, { description: 'edited' }],
      ...menuOfKey('HELD', key),
    ],
  }
}

/** Type a text to import, and wait for the server's plan, or its refusal. */
async function fillImport(page: Page): Promise<void> {
  const planned = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/imports'))
  await page.getByLabel('Content of the .env or JSON file').fill('ADDED_I=x')
  await planned
  await page.locator('section[aria-busy=false]', { hasText: 'Preview' }).waitFor()
}

type Decision = readonly [offered: string, address: string, body?: unknown]

/** The approval page of a client's request offers exactly the decisions that the server takes. */
export async function expectHonestRequest(page: Page, world: World, role: 'owner' | 'member'): Promise<void> {
  const by = world[role]
  const chosen = { bundle_id: world.b, include_keys: ['OWNERS', 'MEMBERS', 'SHARED'], release: 'code' }
  const decisions: Decision[] = [
    ['It is the same: approve', 'POST /encrypt-from-bundle', chosen],
    ['This is my terminal: ask an owner', 'POST /vouch', chosen],
    ['Deny', 'DELETE '],
  ]
  const allowed = new Set<string>()
  for (const decision of decisions) if (await isTaken(by, world.b, decision)) allowed.add(decision[0])
  const { verification_uri_complete } = await ask(by, world.b)
  await page.goto(by.url + verification_uri_complete)
  await readRequest(page)
  await expect
    .poll(() => offeredOn(page, /^(?!Approve|Deny|It is the same|This is my terminal)/), {
      message: `${role}: a request`,
    })
    .toEqual([...allowed].toSorted())
}

const ask = (by: Acting, bundle: string) =>
  askApproval(by.url, {
    bundle,
    release: ['code'],
    verifier: generatePollVerifier(),
    ...(by.workspace ? { workspace: by.workspace } : {}),
  })

/** Whether the server takes a decision on a request that nobody decided before. */
async function isTaken(by: Acting, bundle: string, [, address, body]: Decision): Promise<boolean> {
  const { id } = await ask(by, bundle)
  const [method = '', path = ''] = address.split(' ')
  const { status } = await act(by, `${method} /requests/${id}${path}`, body)
  return status < 300
}
