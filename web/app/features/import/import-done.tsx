import type { ImportPlan } from '../../lib/calls/answers.ts'
import { runCommand } from '../../lib/words/client-command.ts'
import { planText } from '../../lib/words/import-steps.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { InstallClient } from '../../ui/install-client.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'

type ImportDoneProps = { result: ImportPlan; bundleName: string; onAgain: () => void }

/** What an import did, and the next step. */
export function ImportDone({ result, bundleName, onAgain }: ImportDoneProps) {
  return (
    <div className="max-w-2xl">
      <PageHeading title="Imported" intro={`Into ${bundleName}: ${planText(result.plan)}.`} />
      <h2 className="mb-2 text-sm font-semibold">Now start your program with them</h2>
      <InstallClient />
      <CommandLine command={runCommand(bundleName)} />
      <p className="mt-2 text-sm text-ink-soft">
        A page opens on which you approve. Then you can delete the .env file.
      </p>
      <div className="mt-6 flex flex-wrap gap-3">
        <ButtonLink label="Open the bundle" href={`/bundles/${result.bundle_id}`} look="primary" />
        <Button label="Import more" onClick={onAgain} />
      </div>
    </div>
  )
}
