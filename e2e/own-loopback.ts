import { spawnSync } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { skipOrFail } from '../plumbing/test/programs.ts'
import { EXECUTABLE, launchBrowser } from './browser.ts'

const IN_OWN_NETWORK = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']

/** Whether a program can have its own network here; many containers forbid it. In CI, that is a failure instead of a
 * skip. */
export function hasOwnLoopback(): boolean {
  if (spawnSync('unshare', [...IN_OWN_NETWORK, 'true']).status === 0) return true
  skipOrFail('no network namespace can be made here')
  return false
}

/** A browser whose 127.0.0.1 is not this machine's, as another person's is not.
 * @param folder for its starter */
export async function launchElsewhere(folder: string): Promise<Browser> {
  const starter = join(folder, 'browser-elsewhere')
  await writeFile(
    starter,
    `#!/bin/sh\nexec unshare -rn sh -c 'ip link set lo up && exec "$0" "$@"' '${EXECUTABLE}' "$@"\n`,
  )
  await chmod(starter, 0o755)
  return await launchBrowser({ executablePath: starter })
}

/** Carry the calls to one server out of the browser's network; all others stay in it.
 * @param hear gets each answer, also one that its page does not outlive */
export async function carryCalls(
  context: BrowserContext,
  url: string,
  onAnswer: (path: string, answer: string) => void,
): Promise<void> {
  await context.route(`${url}/**`, async (route) => {
    try {
      const response = await route.fetch({ maxRedirects: 0 })
      onAnswer(new URL(response.url()).pathname, await response.text())
      await route.fulfill({ response })
    } catch {
      await route.abort().catch(() => undefined) // the page went away
    }
  })
}
