import { join } from 'node:path'
import type { noteAddresses } from './opened-address.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { inTerminal, type Terminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]

type ClientPlace = {
  /** The client's folder, with its state. */
  folder: string
  serverUrl: string
  opened: Awaited<ReturnType<typeof noteAddresses>>
}

export type ClientOptions = {
  /** False: the client has no browser on its computer. True when absent. */
  opens?: boolean
  /** More variables of its environment. */
  env?: Readonly<Record<string, string>>
  /** Where the command starts, if not in the client's folder. */
  cwd?: string
}

/** A client in a new terminal, whose browser notes the address that it opens. */
export function clientTerminal(
  { folder, serverUrl, opened }: ClientPlace,
  words: readonly string[],
  { opens = true, env = {}, cwd = folder }: ClientOptions = {},
): Terminal {
  const { PATH, HOME } = process.env
  const own = { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: serverUrl }
  const browserIs = { BROWSER: opens ? opened.program : 'none' }
  const runtime = { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: join(folder, 'state') }
  return inTerminal([...KEYFERRY, ...words], {
    cwd,
    env: { ...own, ...browserIs, ...runtime, ...env },
  })
}
