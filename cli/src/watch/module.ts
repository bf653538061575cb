import { usageError } from '../base/cli-error.ts'
import { flagOf, type Words } from '../command-line/command.ts'
import type { RunOption } from '../delivery/run-option.ts'

const WATCH_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL'] as const

export const runOption: RunOption = {
  details: [
    '--watch needs a machine credential, or an approval that is remembered. keyferry stays as the parent of the program. It waits for changes, fetches the values again, ends the program and starts it. If the program does not end within 10 s, keyferry kills it. If the new values cannot be fetched, the program keeps running with the old ones.',
  ],
  flags: [
    flagOf('--watch', 'Restart the program when a value changes'),
    flagOf('--watch-signal NAME', 'The signal that ends the program for a restart (default: TERM)', 'Rare'),
  ],
  examples: {
    'keyferry run prod/app --watch -- ./deploy.sh': 'As a machine, run the script again when a value changes',
  },
  needsMemory: '--watch needs an approval that is remembered: choose that on the page',
  read: (words) => {
    const signal = readWatchSignal(words)
    if (signal === null) return null
    return async (program, parts) =>
      await (await import('./watch-values.ts')).runWatched({ ...program, signal }, parts)
  },
}

function readWatchSignal(words: Words): NodeJS.Signals | null {
  const text = words.text('watch-signal')
  if (!words.has('watch')) {
    if (text !== null) throw usageError('--watch-signal needs --watch', 'Add --watch.')
    return null
  }
  if (words.has('ask')) {
    throw usageError(
      '--watch and --ask cannot be combined',
      'Leave out --ask: the approval has to be remembered.',
    )
  }
  const name = (text ?? 'TERM').toUpperCase()
  const signal = WATCH_SIGNALS.find((known) => known === name || known === `SIG${name}`)
  if (signal !== undefined) return signal
  const names = WATCH_SIGNALS.map((known) => known.slice('SIG'.length)).join(', ')
  throw usageError(`--watch-signal must be one of ${names}`, 'Use one of them, or leave it out for TERM.')
}
