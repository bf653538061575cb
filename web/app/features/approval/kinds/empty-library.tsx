import { workspacePath } from '../../../lib/calls/workspace.ts'
import { importCommand } from '../../../lib/words/client-command.ts'
import { buttonClasses } from '../../../ui/button.tsx'
import { CommandLine } from '../../../ui/command-line.tsx'

type EmptyLibraryProps = {
  workspace: { id: string; name: string }
  /** The terminal must be told which of the person's workspaces this is. */
  isOneOfSeveral: boolean
  /** A terminal can import without signing in. */
  fromTerminal: boolean
}

/** Instead of the choice when the workspace has no bundles: how to get one. */
export function EmptyLibrary({ workspace, isOneOfSeveral, fromTerminal }: EmptyLibraryProps) {
  return (
    <div className="space-y-3 py-3">
      <p className="font-medium">
        <bdi>{workspace.name}</bdi> has no bundles yet.
      </p>
      <p className="text-ink-soft">Import a .env file, then run the command again.</p>
      <a href={workspacePath(workspace.id, '/bundles/import')} className={buttonClasses({ look: 'primary' })}>
        Import in the browser
      </a>
      {fromTerminal && (
        <>
          <p className="text-ink-soft">Or import it from the terminal:</p>
          <CommandLine command={importCommand('dev/app', isOneOfSeveral ? workspace.id : null)} />
        </>
      )}
    </div>
  )
}
