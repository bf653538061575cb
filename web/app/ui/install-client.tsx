import { installCommand } from '../lib/words/client-command.ts'
import { CommandLine } from './command-line.tsx'

/** Beside a command for the terminal: how to get the client, for those who do not have it yet. */
export function InstallClient() {
  return (
    <details className="my-3 text-sm">
      <summary className="cursor-pointer text-ink-soft">Install the client, once on each machine</summary>
      <div className="mt-2">
        <CommandLine command={installCommand()} what="the command that installs the client" />
      </div>
    </details>
  )
}
