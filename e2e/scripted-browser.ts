import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../plumbing/test/until.ts'

/** What a browser on the client's computer got when it opened what the client told it to. */
export type Opened = {
  readonly requestId: string
  /** Send the secret of an approval back to the client, as the page's form does.
   * @returns where the client then sends the browser */
  readonly bringBack: (secret: string) => Promise<string>
}

export type ScriptedBrowser = {
  /** For the client's BROWSER. */
  readonly program: string
  /** What the client opened last. */
  readonly opened: () => Promise<Opened>
  /** Whether the client opened anything since. */
  readonly isAsked: () => Promise<boolean>
}

/** A browser without a window that follows the client's own address to the approval page. */
export async function scriptedBrowser(folder: string): Promise<ScriptedBrowser> {
  const program = join(folder, 'scripted-browser')
  const note = join(folder, 'opened-address')
  await writeFile(program, `#!/bin/sh\nprintf '%s' "$1" > '${note}.new' && mv '${note}.new' '${note}'\n`)
  await chmod(program, 0o755)
  const read = async () => await readFile(note, 'utf8').catch(() => '')
  const opened = async () => {
    const address = await until('the address that the client opens', read)
    await rm(note)
    return await follow(address)
  }
  return { program, opened, isAsked: async () => (await read()) !== '' }
}

async function follow(door: string): Promise<Opened> {
  const { headers } = await fetch(door, { redirect: 'manual' })
  const location = headers.get('location') ?? ''
  const [, requestId, port, path] = /\/approve\/(\w+)#lb=(\d+)\.([\w-]+)$/.exec(location) ?? []
  if (requestId === undefined) throw new Error(`${door} led to ${location}`)
  const bringBack = async (secret: string) => {
    const body = new URLSearchParams({ secret })
    const answer = await fetch(`http://127.0.0.1:${port}/r/${path}`, {
      method: 'POST',
      body,
      redirect: 'manual',
    })
    return answer.headers.get('location') ?? String(answer.status)
  }
  return { requestId, bringBack }
}
