import { announce, isAtTerminal, isYes } from '../base/announce.ts'
import { EXIT, generalError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import { BUNDLE_FLAG, readKeyOfBundle, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'
import { CHANGE_FLAGS, readRequest } from '../flags/request-flags.ts'
import type { NamedLibrary } from '../server/library-call.ts'

export const unsetCommand: Command = {
  name: 'unset',
  operands: 'NAME',
  summary: 'Remove one name from a bundle',
  details: [
    'The bundle no longer delivers the name. Its key stays in the library with all versions. You can attach it again, or delete it, on the web page.',
    'Where people sign in to the server, unset shows a link and waits for an approval. Otherwise it asks on the terminal.',
  ],
  flags: [
    BUNDLE_FLAG,
    WORKSPACE_FLAG,
    SERVER_FLAG,
    flagOf('-y, --yes', 'Do not ask on the terminal'),
    ...CHANGE_FLAGS,
  ],
  examples: {
    'keyferry unset OLD_TOKEN --bundle dev/app --yes': 'Remove OLD_TOKEN from dev/app without a question',
  },
  run: async (words, parts) => {
    const { name, bundleName } = readKeyOfBundle(
      words,
      parts.cwd,
      'keyferry unset OLD_TOKEN --bundle dev/app',
    )
    const request = await readRequest(words, parts)
    const { isOwnLibrary } = await import('../server/server-facts.ts')
    if (await isOwnLibrary(request.server, parts)) {
      await detachHere(words, { ...request, name, bundleName }, parts)
      return EXIT.ok
    }
    const { storeWithApproval } = await import('../deposit/store-with-approval.ts')
    const { workspace } = request
    const nothing = { entries: [], also: [], own: [], share: [], replace: [] }
    const content = { ...nothing, bundle: bundleName, workspace, detach: [name] }
    const command = ['keyferry', 'unset', name, '--bundle', bundleName]
    await storeWithApproval({ ...request, content, command }, parts)
    return EXIT.ok
  },
}

/** Remove a name in local mode, where no approval is needed. */
async function detachHere(
  words: Words,
  { name, bundleName, ...named }: NamedLibrary & { name: string; bundleName: string },
  parts: Parts,
): Promise<void> {
  if (words.has('receipt')) throw (await import('../server/server-facts.ts')).noReceiptHere()
  const { openLibrary } = await import('../server/library-call.ts')
  const { bundleNamed, detachKey, keyNamed, listBundles } = await import('../server/bundles.ts')
  const library = await openLibrary(named, parts)
  const bundle = bundleNamed(await listBundles(library), bundleName)
  const keyId = await keyNamed(library, bundle, name)
  if (!words.has('yes')) requireYes(`Remove ${name} from ${bundleName}? [y/N] `, parts)
  await detachKey(library, bundle, keyId)
  announce(parts, { event: 'removed', name, bundle: bundleName }, null)
  if (parts.view === 'person')
    parts.stderr.write(`Removed ${name} from ${bundleName}. Its key stays in the library.\n`)
}

function requireYes(question: string, parts: Parts): void {
  if (!isAtTerminal(parts)) {
    throw generalError('there is no terminal to ask', 'Nothing was removed. Add --yes to remove it.')
  }
  if (isYes(parts.keyboard, question)) return
  throw generalError('not confirmed', 'Nothing was removed.')
}
