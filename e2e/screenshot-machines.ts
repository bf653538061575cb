import { createClient } from '@keyferry/contract/client'
import type { Page } from 'playwright-core'
import { Issuer } from '../api/test/issuer.ts'
import { createLibrary } from './app-library.ts'
import { createMachine, fetchAsMachine } from './machine-calls.ts'
import { at, type World } from './shot.ts'
import { startServer } from './start-server.ts'

const GITHUB = 'https://token.actions.githubusercontent.com'
const LONG = 'batch/nightly-export-of-all-orders-to-the-warehouse-of-the-other-company'

/** The pages of machines: one of each kind, and refused calls. */
export async function machineShots(): Promise<World> {
  const server = await startServer()
  const { url } = server
  const { bundles } = await createLibrary(url)
  const empty = `${url}/machines`
  const ids = await createMachines(url, bundles)
  const page = (name: string, rest = '') => `${url}/machines/${ids.get(name)}${rest}`
  const list = [
    { name: 'machines', show: at(empty) },
    { name: 'machines-empty', show: withoutMachines(empty) },
    { name: 'machine', show: at(page('deploy-web')) },
    { name: 'machine-knocks', show: at(page('ci-pulls')) },
    { name: 'machine-new', show: at(empty, press('New machine')) },
    { name: 'machine-add-bundle', show: at(page('billing-service'), press('Add bundle')) },
    { name: 'machine-trust-github', show: at(page('billing-service', '?add=github'), refused) },
    { name: 'machine-trust-kubernetes', show: at(page('billing-service', '?add=kubernetes')) },
    { name: 'machine-token', show: at(page('billing-service', '?add=token')) },
    { name: 'machine-token-shown', show: at(page('shown', '?add=token'), createToken) },
    { name: 'machine-tokens', show: at(page('billing-service')) },
    { name: 'machine-job', show: at(page('deploy-web', '/job')) },
    { name: 'machine-activity', show: at(page('billing-service', '/activity')) },
    { name: 'machine-delete', show: at(page('billing-service'), press('Delete')) },
    { name: 'machine-edit', show: at(page('deploy-web'), press('Edit')) },
    { name: 'machine-disabled', show: at(page('old-runner')) },
    { name: 'machine-bundle-remove', show: at(page('deploy-web'), press('Remove prod/shop/app')) },
    { name: 'machine-identity-end', show: at(page('deploy-web'), pressFirst(/^End the identity /)) },
    { name: 'machine-token-rotate', show: at(page('billing-service'), pressFirst(/^Rotate the token /)) },
    { name: 'machine-token-end', show: at(page('billing-service'), pressFirst(/^End the token /)) },
    { name: 'machine-trust-gitlab', show: at(page('billing-service', '?add=gitlab'), submit) },
    { name: 'machine-trust-other', show: at(page('billing-service', '?add=other'), submit) },
    { name: 'machine-trust-names', show: at(page('billing-service', '?add=kubernetes'), submit) },
    { name: 'machine-job-token', show: at(page('billing-service', '/job')) },
    { name: 'machine-job-without-token', show: at(page('shown', '/job')) },
    { name: 'machine-new-token', show: at(empty, chooseToken) },
    { name: 'bundle-machines-none', show: at(`${url}/bundles/${bundles.get('dev/app')}/machines`) },
    { name: 'bundle-machines', show: at(`${url}/bundles/${bundles.get('prod/shop/app')}/machines`) },
  ]
  return { list, servers: [server] }
}

const press = (name: string) => async (page: Page) =>
  await page.getByRole('button', { name, exact: true }).click()

const pressFirst = (name: RegExp) => async (page: Page) =>
  await page.getByRole('button', { name }).first().click()

const submit = async (page: Page) => await page.getByRole('button', { name: 'Add identity' }).last().click()

async function chooseToken(page: Page): Promise<void> {
  await press('New machine')(page)
  await page.getByLabel('How it authenticates').selectOption('token')
}

function withoutMachines(address: string) {
  return async (page: Page) => {
    await page.route('**/api/v1/machines?*', (route) => route.fulfill({ json: [] }))
    await at(address)(page)
  }
}

async function refused(page: Page): Promise<void> {
  await page.getByLabel('Repository id').fill('789')
  await page.getByRole('button', { name: 'Add identity' }).last().click()
  await page.getByText('Name the environment, or the branch').waitFor()
}

async function createToken(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create token' }).last().click()
  await page.getByLabel('Token', { exact: true }).waitFor()
}

async function createMachines(url: string, bundles: ReadonlyMap<string, string>) {
  const call = createClient(url)
  const issuer = new Issuer()
  await issuer.start()
  const bundleId = bundles.get('prod/shop/app') ?? ''
  const ids = new Map<string, string>()
  const create = async (name: string, description = '') => {
    const id = await createMachine(url, { name, description, bundleId })
    ids.set(name, id)
    return { machine_id: id }
  }
  const trust = async (params: { machine_id: string }, claims: Record<string, string[]>, broad = false) => {
    const path = '/api/v1/machines/{machine_id}/trusts'
    const body = { issuer: GITHUB, claims, keys: issuer.jwks, binding: 'possible' as const, broad }
    await call('POST', path, { params, body })
  }
  const token = async (params: { machine_id: string }, days: number) =>
    (
      await call('POST', '/api/v1/machines/{machine_id}/tokens', {
        params,
        body: { expires_in_days: days, networks: ['127.0.0.0/8', '10.20.0.0/16'] },
      })
    ).token

  const web = await create('deploy-web', 'Deploys the shop after each push to main')
  await trust(web, { repository_id: ['789'], environment: ['prod'], ref: ['refs/heads/main'] })
  const billing = await create('billing-service', 'The billing service on its own server')
  const credential = await token(billing, 90)
  await token(billing, 7)
  await fetchAsMachine(url, { bundle: 'prod/shop/app', credential })
  await fetchAsMachine(url, { bundle: 'dev/app', credential })
  const pulls = await create('ci-pulls')
  await trust(pulls, { repository_id: ['1'] }, true)
  const knock = (claims: Record<string, string>) =>
    fetchAsMachine(url, {
      bundle: 'prod/shop/app',
      machineId: pulls.machine_id,
      credential: (hash) => {
        const iat = Math.floor(Date.now() / 1_000)
        const times = { iat, exp: iat + 300 }
        return issuer.sign({ ...claims, ...times, iss: GITHUB, aud: `keyferry/key/${hash}`, sub: 'a' })
      },
    })
  const repository = { repository: 'acme/web', repository_id: '789', actor: 'sam', repository_owner: 'acme' }
  const workflow = { job_workflow_ref: 'acme/web/.github/workflows/deploy.yml@refs/heads/main' }
  const main = {
    ref: 'refs/heads/main',
    environment: 'prod',
    event_name: 'push',
    runner_environment: 'github-hosted',
  }
  await knock({ ...repository, ...workflow, ref: 'refs/pull/7/merge', event_name: 'pull_request' })
  await knock({ ...repository, ...workflow, ...main })
  await knock({ ...repository, ...workflow, ...main })
  await create(LONG, 'A description that is longer than the line that a phone has for it')
  await create('shown')
  const stopped = await create('old-runner')
  await call('PUT', '/api/v1/machines/{machine_id}', { params: stopped, body: { is_active: false } })
  issuer.stop()
  return ids
}
