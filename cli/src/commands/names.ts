import { BUNDLE_NAME, isBundleName, isKeyName } from '@keyferry/contract/env/names'
import { LIMITS } from '@keyferry/contract/limits'
import type { Words } from '../command-line/command.ts'
import { usageError } from '../ground/cli-error.ts'
import { printable } from '../ground/printable.ts'
import { isWorkspaceText } from '../project/project-file.ts'

/** The bundle to ask for, by name or id; null without one.
 * @throws CliError usage */
export function readBundleOperand({ operands }: Words): string | null {
  const [bundle] = operands
  if (bundle === undefined) return null
  if (bundle.length <= LIMITS.nameLength && BUNDLE_NAME.test(bundle)) return bundle
  throw usageError(
    `${printable(bundle === '' ? "''" : bundle, 80)} is not the name of a bundle`,
    'A name holds letters, digits, /, - and _, for example dev/app.',
  )
}

/** The workspace that `--workspace` names, by name or id; null without the flag.
 * @throws CliError usage */
export function readWorkspaceFlag(words: Words): string | null {
  const workspace = words.text('workspace')
  if (workspace === null || isWorkspaceText(workspace)) return workspace
  throw usageError(
    `'${printable(workspace, 80)}' cannot be a workspace`,
    'Give the name or the id of the workspace, as its page shows it.',
  )
}

/** @throws CliError usage: no name that a new bundle can have */
export function requireBundleName(name: string): void {
  if (isBundleName(name)) return
  throw usageError(
    `${printable(name, 80)} cannot be the name of a bundle`,
    'Use letters, digits, - and _, with single slashes between parts, for example dev/app.',
  )
}

/** @throws CliError usage: no name that a key can have */
export function requireKeyName(name: string): void {
  if (isKeyName(name)) return
  throw usageError(
    `${printable(name, 80)} is not the name of a key`,
    'A name holds letters, digits and _, for example DATABASE_URL.',
  )
}
