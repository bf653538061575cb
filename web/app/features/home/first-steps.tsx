import { Link } from 'wouter'
import { pageWorkspace } from '../../lib/calls/workspace.ts'
import { useSession, useTenants } from '../../lib/data/me.ts'
import { importCommand, installCommand, runCommand } from '../../lib/words/client-command.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/** The list of bundles while there is none: the way to the first delivered secret. */
export function FirstSteps() {
  const isLocal = useSession().data?.auth_mode === 'local'
  return (
    <EmptyState title="Bring in your first .env file">
      <ol className="list-decimal space-y-4 pl-5 marker:text-ink-faint">
        <li>
          <p className="mb-2 text-ink">Install the client, once on each machine:</p>
          <CommandLine command={installCommand()} what="the command that installs the client" />
        </li>
        <li>{isLocal ? <ImportFromTerminal /> : <ImportHere />}</li>
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

function ImportFromTerminal() {
  const isOneOfSeveral = (useTenants().data?.length ?? 0) > 1
  return (
    <>
      <p className="mb-2 text-ink">In the folder of your project, type:</p>
      <CommandLine command={importCommand('dev/app', isOneOfSeveral ? pageWorkspace() : null)} />
      <p className="mt-2 text-sm">
        Or <ImportLink>paste or drop the file here</ImportLink>. {WHAT_IT_BECOMES}
      </p>
    </>
  )
}

// On a server with sign-in the client has no account: it can request values but not import them.
function ImportHere() {
  return (
    <>
      <p className="text-ink">
        <ImportLink>Paste or drop the file here</ImportLink>
      </p>
      <p className="mt-2 text-sm">{WHAT_IT_BECOMES}</p>
    </>
  )
}

const WHAT_IT_BECOMES = 'Each line becomes a key of your library, and the bundle holds them together.'

function ImportLink({ children }: { children: string }) {
  return (
    <Link href="/bundles/import" className="link">
      {children}
    </Link>
  )
}
