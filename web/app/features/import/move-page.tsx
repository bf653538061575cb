import { useState } from 'react'
import { Link } from 'wouter'
import type { LibraryMove, LibraryMoveRequest } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useMove, usePlanMove } from '../../lib/imports.ts'
import { useMe } from '../../lib/me.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { MovePlan } from './move-plan.tsx'
import { movedText, sealedLibraryIn } from './moved.ts'
import { FileChooser } from './text-drop.tsx'

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
        intro="Bundles and keys of a local server arrive with their values, order, marks, descriptions, tags and templates. Nothing here is overwritten."
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
  const planning = usePlanMove()
  const moving = useMove()
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    const sealed = sealedLibraryIn(await file.text())
    moving.reset()
    planning.reset()
    setLibrary(sealed)
    setProblem(sealed === null ? `${file.name} is no file that keyferry-server export-library wrote.` : null)
    if (sealed !== null) planning.mutate(sealed)
  }
  const failure = moving.error ?? planning.error
  const plan = planning.data
  return (
    <div className="max-w-2xl space-y-4">
      <p className="text-sm">1. On the machine of the local server, write the library to a file:</p>
      <CommandLine command={`keyferry-server export-library ${window.location.origin} > library.json`} />
      <p className="text-sm text-ink-soft">The file is sealed: only this server can open it.</p>
      <p className="text-sm">2. Choose the file, and read what would happen:</p>
      <FileChooser onFile={(file) => void choose(file)} />
      {problem !== null && (
        <Notice tone="danger" role="alert">
          {problem}
        </Notice>
      )}
      {failure !== null && (
        <Notice tone="danger" role="alert">
          {describeFailure(failure).message} Nothing was moved.
        </Notice>
      )}
      {library !== null && plan !== undefined && (
        <MovePlan
          plan={plan}
          busy={moving.isPending}
          onMove={() =>
            moving.mutate(
              { library, plan_id: plan.plan_id },
              { onSuccess: onDone, onError: () => planning.mutate(library) },
            )
          }
        />
      )}
    </div>
  )
}

function MoveDone({ move }: { move: LibraryMove }) {
  return (
    <div className="max-w-2xl">
      <PageHeading title="Moved" intro={`${movedText(move)} arrived.`} />
      <p className="text-sm">
        Delete the file, and the local server&rsquo;s data once your programs start with this server.
      </p>
      <div className="mt-6">
        <Link href="/bundles" className={buttonClasses({ look: 'primary' })}>
          Show the bundles
        </Link>
      </div>
    </div>
  )
}
