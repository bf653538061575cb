import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Values } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import type { Delivery, Named } from '../server/wait-answer.ts'
import type { Ask } from './ask.ts'

// The approver decides what to deliver. The program gets it only if it is what was requested here.

type Requested = Pick<Ask, 'bundle' | 'workspace' | 'acceptsAnyBundle'>

/** Whether the delivery comes from the requested bundle and workspace. An older server does not name them; then this
 * cannot be checked.
 * @throws CliError refused */
export function requireRequestedBundle({ bundle, workspace }: Delivery, requested: Requested): void {
  if (requested.acceptsAnyBundle) return
  if (isOther(bundle, requested.bundle)) throw otherThanRequested('bundle', bundle, requested.bundle)
  if (isOther(workspace, requested.workspace)) {
    throw otherThanRequested('workspace', workspace, requested.workspace)
  }
}

/** Whether every requested key was delivered, except the optional ones.
 * @throws CliError refused, naming each missing key */
export function requireRequestedKeys(
  values: Values,
  { keys, optionalKeys }: Pick<Ask, 'keys' | 'optionalKeys'>,
): void {
  const missing = keys.filter((name) => !values.has(name) && !optionalKeys.includes(name))
  if (missing.length === 0) return
  throw new CliError(
    EXIT.refused,
    `requested but not delivered: ${missing.join(', ')}`,
    `Nothing was started and the values were dropped. Approve these keys too, or add --optional ${missing.join(',')}.`,
  )
}

function isOther(delivered: Named | null, requested: string | null): delivered is Named {
  if (delivered === null || requested === null) return false
  return delivered.name !== requested && delivered.id !== requested.toLowerCase()
}

function otherThanRequested(kind: string, { name }: Named, requested: string | null): CliError {
  return new CliError(
    EXIT.refused,
    `the approver chose the ${kind} ${printable(name, 80)}, but ${requested} was requested`,
    'Nothing was started and the values were dropped. Run the command again, or accept any bundle with --any-bundle.',
  )
}
