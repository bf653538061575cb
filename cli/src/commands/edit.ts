import { usageError } from '../base/cli-error.ts'
import type { Command } from '../command-line/command.ts'
import { REQUEST_FLAGS, readValuesRequest } from '../flags/request-flags.ts'

// What is read from one bundle must not be stored in another, so --any-bundle is missing too.
const NOT_HERE = ['prefix', 'receipt', 'any-bundle']

export const editCommand: Command = {
  name: 'edit',
  operands: 'BUNDLE',
  summary: 'Edit the values of a bundle in your editor',
  details: [
    'Requests the values as pull does, opens them as a .env file (as JSON if a value needs it) in VISUAL, EDITOR or vi, and stores what you changed or added. If you remove a line, the bundle no longer delivers the variable; its versions stay. Where people sign in to the server, edit needs two approvals: one to read the values, and one to store the changes. An empty file changes nothing. In local mode, edit asks on the terminal before it stores, so it needs a terminal.',
    'The file is in a folder that only you can read, in memory if the system has such a folder. When the editor ends and your changes are stored, edit overwrites and deletes the file. If you changed the text and not all of it is stored, it keeps the file and prints its path.',
    'edit switches off the backups, undo files and histories of vim, nvim, nano and emacs. It warns about every other editor.',
    'If another person changes a value while your editor is open, edit keeps their value and shows who changed it. You choose which value to store: on the approval page, or in local mode on the terminal.',
  ],
  flags: REQUEST_FLAGS.filter(({ name }) => !NOT_HERE.includes(name)),
  examples: {
    'EDITOR=nano keyferry edit dev/app': 'Edit the values of dev/app in nano',
  },
  run: async (words, parts) => {
    const options = await readValuesRequest(words, parts)
    const { bundle, agent } = options
    if (bundle === null) throw usageError('edit needs a bundle', 'For example: keyferry edit dev/app')
    if (agent !== null) throw usageError(`${agent} started this command`, 'Only a person can edit values.')
    const command = ['keyferry', 'edit', bundle]
    const storing = {
      ...options,
      isServerNamed: words.has('server'),
      bundleName: bundle,
      how: 'store' as const,
      flags: { secret: [], public: [] },
      choices: { own: [], share: [], replace: [] },
      isDryRun: false,
      mayUpdate: false,
      receiptFile: null,
      command,
    }
    const { editBundle } = await import('../edit/edit-bundle.ts')
    return await editBundle({ ...options, command }, storing, parts)
  },
}
