import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { pageWorkspace } from '../../lib/calls/workspace.ts'
import { useSession, useTenants } from '../../lib/data/me.ts'
import { handText } from '../../lib/page/handed-text.ts'
import { importCommand, installCommand, runCommand } from '../../lib/words/client-command.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { FileChooser, useTextFile } from '../../ui/file-drop.tsx'
import { FileUp } from '../../ui/icons.ts'

/** Home while there is no bundle: a place for the first file, and the way to the first delivered secret. */
export function FirstSteps() {
  // On a server with sign-in the client has no account: it can request values but not import them.
  const isLocal = useSession().data?.auth_mode === 'local'
  const isOneOfSeveral = (useTenants().data?.length ?? 0) > 1
  const install = { command: installCommand(), what: 'the command that installs the client' }
  return (
    <>
      <section className="rounded-lg bg-surface pt-3 shadow-card">
        <FirstFile />
        <ol className="divide-y divide-line border-t border-line">
          <Step title="Install the client, once on each machine">
            <CommandLine {...install} />
          </Step>
          <Step title={isLocal ? 'Bring in the file, above or in its folder' : 'Bring in the file, above'}>
            {isLocal && (
              <CommandLine command={importCommand('dev/app', isOneOfSeveral ? pageWorkspace() : null)} />
            )}
          </Step>
          <Step title="Start your program with the values, and approve on the page that opens">
            <CommandLine command={runCommand('dev/app')} />
          </Step>
        </ol>
      </section>
      <p className="mt-3 px-4 text-xs text-ink-faint sm:px-6">
        After that, each application is a row here, and each environment a column.
      </p>
    </>
  )
}

function FirstFile() {
  const [, navigate] = useLocation()
  const { over, read, dropping } = useTextFile((text) => {
    handText(text)
    navigate('/bundles/import')
  })
  return (
    <div
      {...dropping}
      className={classNames(
        'mx-3 mb-3 flex flex-col items-center gap-3 rounded-md border border-dashed px-4 py-10 text-center',
        over ? 'border-accent bg-accent-soft' : 'border-edge',
      )}
    >
      <FileUp aria-hidden size={40} strokeWidth={1.25} className="text-accent" />
      <h2 className="text-lg font-semibold">Bring in your first .env file</h2>
      <p className="text-ink-soft">
        Drop it here, or paste its text. You see what it does before it is stored.
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <FileChooser look="primary" onFiles={read} />
        <ButtonLink label="Paste" href="/bundles/import" />
      </div>
    </div>
  )
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="grid items-center gap-x-6 gap-y-2 px-4 py-3 sm:px-6 lg:grid-cols-2">
      <p>{title}</p>
      {children}
    </li>
  )
}
