import { importCommand } from '../../lib/client-command.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'

type EmptyLibraryProps = {
  workspace: string
  /** A terminal can import without signing in. */
  fromTerminal: boolean
}

/** Instead of the choice when the workspace has no bundles: how to get one. */
export function EmptyLibrary({ workspace, fromTerminal }: EmptyLibraryProps) {
  return (
    <div className="space-y-3 text-sm">
      <p className="text-base font-medium">
        <bdi>{workspace}</bdi> has no bundles yet.
      </p>
      <p className="text-ink-soft">Import a .env file, then run the command in your terminal again.</p>
      <a href="/bundles/import" className={buttonClasses({ look: 'primary' })}>
        Import in the browser
      </a>
      {fromTerminal && (
        <>
          <p className="text-ink-soft">Or import it from the terminal:</p>
          <CommandLine command={importCommand('dev/app')} />
        </>
      )}
    </div>
  )
}
