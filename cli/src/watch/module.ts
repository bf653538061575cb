import { usageError } from '../base/cli-error.ts'
import { flagOf } from '../command-line/command.ts'
import type { RunOption } from '../delivery/run-option.ts'

export const runOption: RunOption = {
  details: [
    '--watch needs a machine credential, or an approval that is remembered. keyferry stays as the parent of the program. It waits for changes, fetches the values again, ends the program and starts it. If the program does not end within 10 s, keyferry kills it. If the new values cannot be fetched, the program keeps running with the old ones.',
  ],
  flags: [flagOf('--watch', 'Restart the program when a value changes')],
  examples: {
    'keyferry run prod/app --watch -- ./deploy.sh': 'As a machine, run the script again when a value changes',
  },
  needsMemory: '--watch needs an approval that is remembered: choose that on the page',
  read: (words) => {
    if (!words.has('watch')) return null
    if (words.has('ask'))
      throw usageError(
        '--watch and --ask cannot be combined',
        'Leave out --ask: the approval has to be remembered.',
      )
    return async (program, parts) => await (await import('./watch-values.ts')).runWatched(program, parts)
  },
}
