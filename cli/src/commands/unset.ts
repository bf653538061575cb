import { EXIT } from '../base/cli-error.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { BUNDLE_FLAG, readKeyOfBundle, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'
import { CHANGE_FLAGS, readRequest } from '../flags/request-flags.ts'

const EXAMPLE = 'keyferry unset OLD_TOKEN --bundle dev/app'

export const unsetCommand: Command = {
  name: 'unset',
  operands: 'NAME',
  summary: 'Remove a variable from a bundle',
  details: [
    'The bundle no longer delivers the variable. Its value stays with all versions. On the web page you can put it back, or delete it.',
    'Where people sign in to the server, unset shows a link and waits for an approval. Otherwise it shows the plan and asks on the terminal.',
  ],
  flags: [
    BUNDLE_FLAG,
    WORKSPACE_FLAG,
    SERVER_FLAG,
    flagOf('-y, --yes', 'Do not ask on the terminal'),
    ...CHANGE_FLAGS,
  ],
  examples: {
    [`${EXAMPLE} --yes`]: 'Remove OLD_TOKEN from dev/app without a question',
  },
  run: async (words, parts) => {
    const { name, bundleName } = readKeyOfBundle(words, parts.cwd, EXAMPLE)
    const request = await readRequest(words, parts)
    const { requireKnownBundle } = await import('../server/bundles.ts')
    await requireKnownBundle({ ...request, bundle: bundleName, keys: [name], optionalKeys: [] }, parts)
    const { importText } = await import('../import/import-file.ts')
    const options = {
      ...request,
      isServerNamed: words.has('server'),
      bundleName,
      how: 'remove' as const,
      flags: { secret: [], public: [] },
      choices: { own: [], share: [], replace: [] },
      isDryRun: false,
      mayUpdate: words.has('yes'),
      command: ['keyferry', 'unset', name, '--bundle', bundleName],
    }
    await importText(options, { entries: [], notes: [], detach: [name] }, parts)
    return EXIT.ok
  },
}
