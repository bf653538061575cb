import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashToken } from '@keyferry/crypto/token'
import { isAtTerminal, isYes } from '../base/announce.ts'
import { usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { DEFAULT_SERVER } from '../server/server-address.ts'
import { makePrivateFolder, type StateParts, stateFolder } from '../state/state-folder.ts'
import { mainFolder } from './git-folder.ts'
import { PROJECT_FILE } from './project-file.ts'
import { readSmallFile } from './small-file.ts'

const FOLDER = 'trusted-folders'

type NamedServer = { readonly folder: string; readonly server: string }

/** A server from a committed file sees what is requested, and could lead the person to approve there. So the person
 * must confirm it once for this folder.
 * @throws CliError usage: not confirmed */
export function requireTrust(named: NamedServer, parts: Parts): void {
  if (isTrusted(named, parts)) return
  const { stderr, keyboard } = parts
  if (!isAtTerminal(parts)) throw unconfirmed(named)
  stderr.write(`${PROJECT_FILE} in ${printable(named.folder)}\nuses the server ${printable(named.server)}\n`)
  if (!isYes(keyboard, 'Trust this server for this folder? [y/N] ')) throw unconfirmed(named)
  trust(named, parts)
}

/** Remember that this folder may use this server. */
export function trust(named: NamedServer, place: StateParts): void {
  makePrivateFolder(stateFolder(place, FOLDER))
  for (const folder of new Set([named.folder, mainFolder(named.folder)])) {
    const text = `${folder}\n${named.server}\n${contentOf(named)}\n`
    writeFileSync(markOf({ ...named, folder }, place), text, { mode: 0o600 })
  }
}

/** Whether this folder may name this server: the person has confirmed it, or it is this machine's default. What they
 * confirmed for a folder of a git repository counts in its other working trees, for the same keyferry.json. */
export function isTrusted(named: NamedServer, place: StateParts): boolean {
  if (named.server === DEFAULT_SERVER || existsSync(markOf(named, place))) return true
  const mark = markOf({ ...named, folder: mainFolder(named.folder) }, place)
  return existsSync(mark) && readFileSync(mark, 'utf8').split('\n')[2] === contentOf(named)
}

function contentOf({ folder }: NamedServer): string {
  return hashToken(readSmallFile(join(folder, PROJECT_FILE))?.text ?? '')
}

// One file for each pair, so that two commands at the same time cannot overwrite each other's answer.
function markOf({ folder, server }: NamedServer, place: StateParts): string {
  const mark = hashToken(`${folder}\0${server}`)
  return join(stateFolder(place, FOLDER), mark)
}

function unconfirmed({ server }: NamedServer): Error {
  return usageError(
    `the server ${printable(server)} from ${PROJECT_FILE} is not confirmed for this folder`,
    `If you trust it, add --server ${printable(server)}, or run the command once at a terminal and confirm.`,
  )
}
