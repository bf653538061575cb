import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, generalError, refusedAnswer, refusedError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { field, orNull, string } from '../base/shape.ts'
import { makePrivateFolder, type StateParts, stateFolder } from '../state/state-folder.ts'

/** The fingerprint of a signing key, in groups of four letters.
 * @throws CliError usage */
export function readFingerprint(text: string): string {
  const letters = text.replaceAll(/[\s-]/g, '').toUpperCase()
  if (/^[A-Z]{20}$/.test(letters)) return letters.replaceAll(/.{4}(?=.)/g, '$&-')
  const next = 'Give its 20 letters, as its person reads them on the page Account.'
  throw usageError(`${printable(text, 60)} is not the fingerprint of a signing key`, next)
}

/** Require that a receipt is of the workspace that the person named, if they named one.
 * @throws CliError refused */
export function requireWorkspace(workspace: string | null, fields: unknown): void {
  if (workspace !== null && orNull(field('workspace', field('id', string)))(fields) !== workspace)
    throw refusedAnswer('the receipt is of another workspace')
}

/** Require that trusted keys signed a receipt: the named ones, or else the first of a workspace, which are shown.
 * @throws CliError refused · general: a key cannot be stored */
export function requireTrustedKeys(
  signed: readonly string[],
  { named, workspace }: { named: readonly string[]; workspace: string | null },
  parts: Pick<Parts, 'stderr'> & StateParts,
): void {
  if (named.length > 0 && !signed.every((key) => named.includes(key)))
    throw refusedAnswer('a key that you do not name signed the approval')
  if (named.length > 0 || workspace === null) return
  const folder = folderOf(workspace, parts)
  const trusted = existsSync(folder) ? readdirSync(folder) : []
  const unknown = signed.find((key) => !trusted.includes(key))
  if (trusted.length > 0 && unknown !== undefined)
    throw refusedError(
      `the signing key ${unknown} is new in the workspace ${workspace}`,
      `Ask its person to read the fingerprint to you. If it is the same, add --trust ${unknown}`,
    )
  for (const key of new Set(trusted.length > 0 ? [] : signed)) {
    trustKey(key, workspace, parts)
    parts.stderr.write(`keyferry: trusted on first use: ${key}\n`)
  }
}

/** Remember that this signing key may sign in this workspace.
 * @throws CliError general */
export function trustKey(fingerprint: string, workspace: string, parts: StateParts): void {
  const folder = folderOf(workspace, parts)
  try {
    makePrivateFolder(folder)
    // One file for each key, so that two commands at the same time cannot overwrite each other's.
    writeFileSync(join(folder, fingerprint), '', { mode: 0o600 })
  } catch (cause) {
    throw generalError(`cannot store a signing key: ${codeOf(cause)}`, `Check ${printable(folder)}.`)
  }
}

// An id belongs to one workspace only, so the receipt of another server cannot add keys to it.
function folderOf(workspace: string, parts: StateParts): string {
  return join(stateFolder(parts, 'approval-keys'), workspace)
}
