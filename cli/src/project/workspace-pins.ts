import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isIdText } from '@keyferry/contract/id-text'
import { hashToken } from '@keyferry/crypto/token'
import { writeOutputFile } from '../base/output-file.ts'
import { object, orNull, parseObject, string } from '../base/shape.ts'
import { makePrivateFolder, type StateParts, stateFolder } from '../state/state-folder.ts'
import { mainFolder } from './git-folder.ts'

const FOLDER = 'workspaces'

/** Where a command runs: the folder of keyferry.json, or else the current one, and its server. */
export type PinnedFolder = { readonly folder: string; readonly server: string }

/** A workspace as the server knows it. */
const WORKSPACE = object({ id: string, name: string })
export type PinnedWorkspace = ReturnType<typeof WORKSPACE>

/** The workspace that the person confirmed for this folder; null: none. */
function pinnedWorkspace(place: PinnedFolder, parts: StateParts): PinnedWorkspace | null {
  try {
    return orNull(WORKSPACE)(parseObject(readFileSync(fileOf(place, parts), 'utf8')))
  } catch {
    return null // none is pinned
  }
}

/** Remember the workspace of this folder. Where nothing can be written, the next command asks again. */
export function pinWorkspace(place: PinnedFolder, { id, name }: PinnedWorkspace, parts: StateParts): void {
  try {
    makePrivateFolder(stateFolder(parts, FOLDER))
    const text = `${JSON.stringify({ ...place, id, name })}\n`
    writeOutputFile({ path: fileOf(place, parts), mayReplace: true }, text)
  } catch {
    return
  }
}

/** @returns the workspace that was pinned; null: none */
export function forgetWorkspace(place: PinnedFolder, parts: StateParts): PinnedWorkspace | null {
  const pinned = pinnedWorkspace(place, parts)
  rmSync(fileOf(place, parts), { force: true })
  return pinned
}

function fileOf({ folder, server }: PinnedFolder, parts: StateParts): string {
  // All working trees of a git repository have one.
  return join(stateFolder(parts, FOLDER), hashToken(`${server}\0${mainFolder(folder)}`))
}

/** The workspace that a command or keyferry.json names. */
export type NamedWorkspace = {
  /** Name or id; null: neither names one. */
  readonly text: string | null
  /** The command names it, not keyferry.json. */
  readonly isFlag: boolean
  readonly place: PinnedFolder
}

/** Which workspace a command means. */
export type ExpectedWorkspace = NamedWorkspace & {
  /** The only workspace that can approve; null: the client asks. */
  readonly knownId: string | null
}

/** The workspace of a command: the id that the command gives, or what the person confirmed for this folder. An id in
 * keyferry.json still has to be confirmed, because anyone can commit the file. So does a name, because several
 * workspaces can have it. */
export function expectedWorkspace(named: NamedWorkspace, parts: StateParts): ExpectedWorkspace {
  const { text, isFlag, place } = named
  const pinned = pinnedWorkspace(place, parts)
  if (text === null) return { ...named, text: pinned?.id ?? null, knownId: pinned?.id ?? null }
  const isPinned = isWorkspace(pinned, text)
  if (isIdText(text)) {
    const id = text.toLowerCase()
    return { ...named, text: id, knownId: isFlag || isPinned ? id : null }
  }
  return isPinned && pinned !== null
    ? { ...named, text: pinned.id, knownId: pinned.id }
    : { ...named, knownId: null }
}

/** Whether a text names this workspace: by its id, or by its name, which is no proof. */
export function isWorkspace(workspace: PinnedWorkspace | null, text: string): boolean {
  if (workspace === null) return false
  return isIdText(text) ? workspace.id === text.toLowerCase() : workspace.name === text
}
