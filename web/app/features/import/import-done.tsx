import { Link } from 'wouter'
import { runCommand } from '../../lib/client-command.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import type { ImportResult } from './run-import.ts'

type ImportDoneProps = { result: ImportResult; bundleName: string; onAgain: () => void }

/** What an import did, and the next step. */
export function ImportDone({ result, bundleName, onAgain }: ImportDoneProps) {
  const { created, changed, attached, failures } = result
  return (
    <div className="max-w-2xl">
      <PageHeading
        title={failures.length === 0 ? 'Imported' : 'Imported in part'}
        intro={`${created} created, ${changed} replaced, ${attached} attached to ${bundleName}.`}
      />
      {failures.length > 0 && (
        <Notice tone="danger" className="mb-6">
          <p>These were not written. Import the same text again to finish:</p>
          <ul className="mt-1 space-y-0.5">
            {failures.map(({ name, problem }) => (
              <li key={name}>
                <span className="font-mono">{name}</span>: {problem}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <h2 className="mb-2 text-sm font-semibold">Now start your program with them</h2>
      <CommandLine command={runCommand(bundleName)} />
      <p className="mt-2 text-sm text-ink-soft">
        A page opens on which you approve. Then you can delete the .env file.
      </p>
      <div className="mt-6 flex flex-wrap gap-3">
        <Link href={`/bundles/${result.bundleId}`} className={buttonClasses({ look: 'primary' })}>
          Open the bundle
        </Link>
        <Button onClick={onAgain}>Import more</Button>
      </div>
    </div>
  )
}
