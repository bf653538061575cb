import { Link } from 'wouter'
import { importCommand, runCommand } from '../../lib/client-command.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/** The list of bundles while there is none: the way to the first delivered secret. */
export function FirstSteps() {
  return (
    <EmptyState title="Bring in your first .env file">
      <ol className="list-decimal space-y-4 pl-5 marker:text-ink-faint">
        <li>
          <p className="mb-2 text-ink">In the folder of your project, type:</p>
          <CommandLine command={importCommand('dev/app')} />
          <p className="mt-2 text-sm">
            Or{' '}
            <Link href="/bundles/import" className="link">
              paste or drop the file here
            </Link>
            . Each line becomes a key of your library, and the bundle holds them together.
          </p>
        </li>
        <li>
          <p className="mb-2 text-ink">Start your program with them:</p>
          <CommandLine command={runCommand('dev/app')} />
          <p className="mt-2 text-sm">
            A page opens on which you approve. Then the program starts with the values.
          </p>
        </li>
      </ol>
    </EmptyState>
  )
}
