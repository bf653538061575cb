import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Page } from 'playwright-core'
import { SERVER_PROGRAM } from './programs.ts'
import type { RunningServer } from './start-server.ts'

const LETTERS = /(?:[A-Z]{4}-){4}[A-Z]{4}/

/** Add a signing key on the account page, with the authenticator that is there.
 * @returns its 20 letters */
export async function addApprovalKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Add a signing key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('list', { name: 'Signing keys' }).getByRole('listitem').filter({ hasText: name })
  const shown = await row.getByText(LETTERS).textContent()
  return LETTERS.exec(shown ?? '')?.[0] ?? ''
}

/** Confirm a signing key as the operator of the server does. */
export async function confirmByOperator({ dataDir }: RunningServer, letters: string): Promise<void> {
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir }
  const words = ['approval-keys', 'confirm', letters]
  const child = spawn(process.execPath, [SERVER_PROGRAM, ...words], {
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.on('error', () => undefined).end('yes\n')
  const said = child.stderr.setEncoding('utf8').toArray()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`approval-keys confirm: ${(await said).join('')}`)
}
