import { announce } from '../base/announce.ts'
import { EXIT, generalError, usageError } from '../base/cli-error.ts'
import { list, number, object, or, string, truth } from '../base/shape.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import {
  BUNDLE_FLAG,
  libraryHere,
  readKeyOfBundle,
  SERVER_FLAG,
  WORKSPACE_FLAG,
} from '../flags/library-flags.ts'
import { JSON_FLAG, QUIET_FLAG } from '../flags/request-flags.ts'
import type { Library } from '../server/library-call.ts'

const EXAMPLE = 'keyferry restore API_TOKEN --bundle dev/app'

export const restoreCommand: Command = {
  name: 'restore',
  operands: 'NAME',
  summary: 'Make an older value of a variable the newest again',
  details: [
    'Without --version, restore takes the version before the current one, so it undoes the last change. The replaced value stays as a version. If the last change gave the bundle a value of its own, the bundle shares the value of the others again. If other bundles share the value, it changes there too.',
    'Where people sign in to the server, restore a value on the page of the variable.',
  ],
  flags: [
    BUNDLE_FLAG,
    WORKSPACE_FLAG,
    SERVER_FLAG,
    flagOf('--version NUMBER', 'The version to restore (default: the one before)'),
    QUIET_FLAG,
    JSON_FLAG,
  ],
  examples: { [EXAMPLE]: 'Undo the last change of API_TOKEN' },
  run: async (words, parts) => {
    const { name, bundleName } = readKeyOfBundle(words, parts.cwd, EXAMPLE)
    const wanted = readVersion(words)
    const named = await libraryHere(words, parts)
    const { isOwnLibrary } = await import('../server/server-facts.ts')
    if (!(await isOwnLibrary(named.server, parts))) throw onPageOnly(named.server, bundleName)
    const { openLibrary } = await import('../server/library-call.ts')
    const { bundleNamed, keyNamed, listBundles } = await import('../server/bundles.ts')
    const library = await openLibrary(named, parts)
    const bundle = bundleNamed(await listBundles(library), bundleName)
    const restored = { bundleId: bundle.id, keyId: await keyNamed(library, bundle, name), name }
    const done = await restore(library, restored, wanted)
    if (done === null) await shareAgain(library, restored)
    announce(parts, { event: 'restored', name, bundle: bundleName, ...done }, null)
    if (parts.view === 'person')
      parts.stderr.write(
        done === null
          ? `${name} of ${bundleName} is the shared value again.\n`
          : `Restored version ${done.from} of ${name}. It is now version ${done.version}.\n`,
      )
    return EXIT.ok
  },
}

function readVersion(words: Words): number | null {
  const text = words.text('version')
  if (text === null || /^[1-9]\d{0,9}$/.test(text)) return text === null ? null : Number(text)
  throw usageError('--version needs the number of a version', 'For example: --version 3')
}

function onPageOnly(server: string, bundle: string) {
  return generalError(
    `people sign in to ${server}, so nothing was restored from here`,
    `Restore the value on the page of the variable: ${server}/bundles?open=${bundle}`,
  )
}

const KEYS = list(object({ id: string, name: string }))
const VERSIONS = list(object({ version: number, current: or(truth, false) }))

type Attached = { readonly bundleId: string; readonly keyId: string; readonly name: string }

/** Make an older version the newest again.
 * @returns null: the earlier value is the one that other bundles share */
async function restore(
  library: Library,
  { keyId, name }: Attached,
  wanted: number | null,
): Promise<{ from: number; version: number } | null> {
  const { callLibrary } = await import('../server/library-call.ts')
  const params = { key_id: keyId }
  const versions = await callLibrary(library, { name: 'listKeyVersions', params, shape: VERSIONS })
  const current = versions.find((each) => each.current)?.version ?? 0
  const from = wanted ?? current - 1
  // The value of a bundle that shared one before continues its numbers, and the earlier versions stay with the others.
  if (wanted === null && versions.length === 1 && current > 1) return null
  if (from < 1) throw usageError(`${name} has no earlier version`, 'Nothing was changed.')
  if (from === current)
    throw usageError(`version ${from} of ${name} is the current one`, 'Nothing was changed.')
  if (!versions.some(({ version }) => version === from))
    throw usageError(`${name} has no version ${from}`, 'Nothing was changed.')
  const body = { version: from, expected_version: current }
  await callLibrary(library, { name: 'restoreKeyVersion', params, body, shape: () => undefined })
  return { from, version: current + 1 }
}

/** Share the value of the other bundles again. */
async function shareAgain(library: Library, { bundleId, keyId, name }: Attached): Promise<void> {
  const { callLibrary } = await import('../server/library-call.ts')
  const keys = await callLibrary(library, { name: 'listKeys', query: { query: name }, shape: KEYS })
  const shared = keys.find((key) => key.name === name && key.id !== keyId)
  if (shared === undefined) throw usageError(`${name} has no earlier version`, 'Nothing was changed.')
  const params = { bundle_id: bundleId, key_id: keyId }
  const body = { key_id: shared.id }
  await callLibrary(library, { name: 'changeAttachment', params, body, shape: () => undefined })
}
