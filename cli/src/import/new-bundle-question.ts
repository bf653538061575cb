import { nearest } from '@keyferry/contract/nearest'
import { announce, isYes } from '../base/announce.ts'
import { generalError, usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import { canAsk } from '../delivery/confirm-workspace.ts'
import { listBundles } from '../server/bundles.ts'
import type { Library } from '../server/library-call.ts'
import type { ImportTextOptions } from './import-options.ts'

/** Ask before values make a new bundle whose name is almost that of another: it is probably a typing error. An import
 * of a script makes it, and says so.
 * @throws CliError usage: there is no terminal to ask · general: the answer is no */
export async function confirmNewBundle(
  {
    bundleName,
    how,
    isDryRun,
    mayUpdate,
  }: Pick<ImportTextOptions, 'bundleName' | 'how' | 'isDryRun' | 'mayUpdate'>,
  library: Library,
): Promise<void> {
  const { parts } = library
  const bundles = await listBundles(library)
  const guess = nearest(
    bundleName,
    bundles.map(({ name }) => name),
  )
  if (guess === null) return
  const question = `Did you mean ${printable(guess)}?`
  if (how === 'import' && (isDryRun || mayUpdate || !canAsk(parts)))
    return announce(
      parts,
      { event: 'new_bundle', bundle: bundleName, nearest: guess },
      parts.view === 'quiet' ? null : `${bundleName} is a new bundle. ${question}`,
    )
  if (!canAsk(parts)) {
    const create = `To create ${bundleName}, run keyferry import FILE --bundle ${bundleName}.`
    throw usageError(`the bundle ${bundleName} does not exist`, `${question} Nothing was stored. ${create}`)
  }
  if (
    isYes(parts.keyboard, `The bundle ${bundleName} does not exist. ${question} Create ${bundleName}? [y/N] `)
  )
    return
  throw generalError('not confirmed', 'Nothing was stored.')
}
