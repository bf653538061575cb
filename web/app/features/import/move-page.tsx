import { useState } from 'react'
import type { LibraryMove, LibraryMoveRequest } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useMe } from '../../lib/data/me.ts'
import { runCommand } from '../../lib/words/client-command.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { FailureNotice, Problem } from '../../ui/failure-notice.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { MovePlan } from './move-plan.tsx'
import { movedText, sealedLibraryIn } from './moved.ts'
import { FileChooser, MOST_BYTES } from './text-drop.tsx'

type Library = LibraryMoveRequest['library']

/** Moves the library of another server into this workspace, after the server's plan was shown. */
export function MovePage() {
  const role = useMe().data?.role
  const [done, setDone] = useState<LibraryMove | null>(null)
  if (done !== null) return <MoveDone move={done} />
  return (
    <>
      <PageHeading
        title="Move a library here"
        intro="Copies the bundles and keys of a local server, with their values, order, marks, descriptions, tags, templates and age. Nothing here is overwritten."
      />
      {role === 'member' ? (
        <Notice tone="plain">Only an owner of this workspace can move a library here.</Notice>
      ) : (
        <MoveForm onDone={setDone} />
      )}
    </>
  )
}

function MoveForm({ onDone }: { onDone: (move: LibraryMove) => void }) {
  const [library, setLibrary] = useState<Library | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const planning = useChange('moveLibrary', { dry_run: true }, { refreshes: [] })
  const moving = useChange('moveLibrary', {})
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    const sealed = file.size > MOST_BYTES ? null : sealedLibraryIn(await file.text())
    moving.reset()
    planning.reset()
    setLibrary(sealed)
    setProblem(
      sealed === null
        ? `${file.name} is not a complete file of keyferry-server export-library. Export the library again.`
        : null,
    )
    if (sealed !== null) planning.mutate({ library: sealed })
  }
  const failure = moving.error ?? planning.error
  const plan = planning.data
  return (
    <div className="max-w-2xl space-y-4">
      <p className="text-sm">1. On the machine of the local server, write the library to a file:</p>
      <CommandLine command={`keyferry-server export-library ${window.location.origin} > library.json`} />
      <p className="text-sm text-ink-soft">
        The file is sealed: only this server can open it. If you run the local server from a clone, use{' '}
        <code>npx keyferry-server</code> in the folder of the clone. To move the library of this server to
        another one, open this page there.
      </p>
      <p className="text-sm">2. Choose the file and check the plan:</p>
      <FileChooser onFile={(file) => void choose(file)} />
      <Problem text={problem} />
      <FailureNotice error={failure} also="Nothing was moved." />
      {library !== null && plan !== undefined && (
        <MovePlan
          plan={plan}
          busy={moving.isPending}
          onMove={() =>
            moving.mutate(
              { library, plan_id: plan.plan_id },
              { onSuccess: onDone, onError: () => planning.mutate({ library }) },
            )
          }
        />
      )}
    </div>
  )
}

function MoveDone({ move }: { move: LibraryMove }) {
  const first = move.bundles.find(({ action }) => action === 'create')
  return (
    <div className="max-w-2xl">
      <PageHeading title="Moved" intro={`${movedText(move)} arrived.`} />
      {first !== undefined && (
        <>
          <p className="mb-2 text-sm">Now start a program with this server:</p>
          <CommandLine command={runCommand(first.name)} />
        </>
      )}
      <p className="mt-2 text-sm">
        Delete the file. When all your programs use this server, delete the data of the local server.
      </p>
      <div className="mt-6">
        <ButtonLink label="Show the bundles" href="/bundles" look="primary" />
      </div>
    </div>
  )
}
