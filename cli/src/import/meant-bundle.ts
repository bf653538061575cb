import { nearest } from '@keyferry/contract/nearest'
import { isYes } from '../base/announce.ts'
import { generalError, usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import { canAsk } from '../delivery/confirm-workspace.ts'
import { listBundles } from '../server/bundles.ts'
import type { Library } from '../server/library-call.ts'
import type { ImportTextOptions } from './import-options.ts'

/** Ask before one value makes a new bundle whose name is almost that of another: it is probably a typing error.
 * @throws CliError usage: there is no terminal to ask · general: the answer is no */
export async function requireMeantBundle(
  { bundleName }: Pick<ImportTextOptions, 'bundleName'>,
  library: Library,
): Promise<void> {
  const { parts } = library
  const bundles = await listBundles(library)
  const guess = nearest(
    bundleName,
    bundles.map(({ name }) => name),
  )
  if (guess === null) return
  const meant = `Did you mean ${printable(guess)}?`
  if (!canAsk(parts)) {
    const create = `To create ${bundleName}, run keyferry import FILE --bundle ${bundleName}.`
    throw usageError(`the bundle ${bundleName} does not exist`, `${meant} Nothing was stored. ${create}`)
  }
  if (isYes(parts.keyboard, `The bundle ${bundleName} does not exist. ${meant} Create ${bundleName}? [y/N] `))
    return
  throw generalError('not confirmed', 'Nothing was stored.')
}
