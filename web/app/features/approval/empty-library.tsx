import { importCommand } from '../../lib/client-command.ts'
import { CommandLine } from '../../ui/command-line.tsx'

/** Instead of the choice when there is no bundle to choose: how to get one. */
export function EmptyLibrary() {
  return (
    <div className="space-y-3 text-sm">
      <p className="text-base font-medium">There is nothing to hand over yet.</p>
      <p className="text-ink-soft">
        Bring in a .env file from a terminal, then start the command that asked again:
      </p>
      <CommandLine command={importCommand('dev/app')} />
      <p className="text-ink-soft">
        Or{' '}
        <a href="/bundles/import" className="link">
          paste or drop a file in the browser
        </a>
        .
      </p>
    </div>
  )
}
