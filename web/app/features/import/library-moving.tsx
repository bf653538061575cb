import { useState } from 'react'
import type { LibraryMove, LibraryMoveRequest } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useMay, useMe } from '../../lib/data/me.ts'
import { readTextFile } from '../../lib/page/text-file.ts'
import { runCommand } from '../../lib/words/client-command.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { FileChooser } from '../../ui/file-drop.tsx'
import { FailureNotice, Notice, Problem } from '../../ui/notice.tsx'
import { Rows, Section } from '../../ui/section.tsx'

/** Moves the library of another server into this workspace, after the server's plan was shown. */
export function LibraryMoving() {
  const isKnown = useMe().data !== undefined
  const may = useMay()
  const [done, setDone] = useState<LibraryMove | null>(null)
  if (done !== null) return <MoveDone move={done} />
  if (isKnown && !may('moveLibrary'))
    return <Notice tone="plain">Only an owner of this workspace can bring in another server.</Notice>
  return <MoveForm onDone={setDone} />
}

function MoveForm({ onDone }: { onDone: (move: LibraryMove) => void }) {
  const [library, setLibrary] = useState<LibraryMoveRequest['library'] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const planning = useChange('moveLibrary', { dry_run: true }, { refreshes: [] })
  const moving = useChange('moveLibrary', {})
  const choose = async (files: readonly File[]) => {
    const chosen = await readTextFile(files).then(sealedLibraryIn, (error: Error) => error.message)
    const isLibrary = typeof chosen !== 'string'
    moving.reset()
    planning.reset()
    setLibrary(isLibrary ? chosen : null)
    setProblem(isLibrary ? null : chosen)
    if (isLibrary) planning.mutate({ library: chosen })
  }
  const failure = moving.error ?? planning.error
  const plan = planning.data
  return (
    <div className="max-w-read space-y-4">
      <p className="text-sm text-ink-soft">
        All bundles and variables of a local server arrive with their versions’ age. Nothing here is
        overwritten.
      </p>
      <p className="text-sm">1. On the machine of the local server, write its values to a file:</p>
      <CommandLine command={`keyferry-server export-library ${window.location.origin} > library.json`} />
      <p className="text-sm text-ink-soft">
        Only this server can open the file. If you run the local server from a clone, use{' '}
        <code>npx keyferry-server</code> in its folder.
      </p>
      <p className="text-sm">2. Choose the file and check the plan:</p>
      <FileChooser size="small" onFiles={(files) => void choose(files)} />
      <Problem text={problem} />
      <FailureNotice error={failure} act="move this" />
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
    <Section title="Moved" size="large" className="max-w-read" intro={`${movedText(move)} arrived.`}>
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
        <ButtonLink label="Show the applications" href="/" look="primary" />
      </div>
    </Section>
  )
}

const BUNDLE_NOTES = { create: 'new', left_out: 'exists here: left out', rename: '', share: '' } as const

/** What a move would do, and the button that does exactly that. */
export function MovePlan({ plan, busy, onMove }: { plan: LibraryMove; busy: boolean; onMove: () => void }) {
  const { bundles, keys } = plan
  const leftOut = bundles.filter(({ action }) => action === 'left_out')
  const hasWork = [...bundles, ...keys].some(isMade)
  return (
    <section aria-labelledby="move-plan" className="space-y-4">
      <h2 id="move-plan" className="text-sm font-semibold">
        {hasWork
          ? `${movedText(plan)} arrive`
          : 'Nothing arrives: this workspace already has these bundles and variables'}
      </h2>
      {leftOut.length > 0 && (
        <Notice tone="caution" role="status">
          This workspace already has a bundle of the same name, so the move skips the one in the file. To move
          it too, rename one of the two, export again, and choose the new file.
        </Notice>
      )}
      <Rows className="text-sm">
        {bundles.map(({ name, action, key_count: count }) => (
          <li key={name} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
            <code className="min-w-0 break-words">{name}</code>
            <span className="text-ink-soft">
              {counted(count, 'variable')}, {BUNDLE_NOTES[action]}
            </span>
          </li>
        ))}
      </Rows>
      <KeyNotes keys={keys} />
      {hasWork && (
        <Button
          label={busy ? 'Moving…' : `Move ${movedText(plan)}`}
          look="primary"
          size="large"
          busy={busy}
          onClick={onMove}
        />
      )}
    </section>
  )
}

type MovePageKey = LibraryMove['keys'][number]

const isMade = ({ action }: Pick<MovePageKey, 'action'>) => action === 'create' || action === 'rename'

const KEY_NOTES: readonly [title: string, why: string, isOne: (key: MovePageKey) => boolean][] = [
  [
    'Not secret',
    'Every member of this workspace can read these values, as on the server that they come from.',
    (key) => isMade(key) && !key.is_secret,
  ],
  [
    'Renamed',
    'These names exist here with other values. Programs get the same names as before.',
    ({ action }) => action === 'rename',
  ],
  ['Shared', 'This workspace has these variables with the same values.', ({ action }) => action === 'share'],
  [
    'Left out',
    'The names exist here, or only bundles that are left out use them.',
    ({ action }) => action === 'left_out',
  ],
]

function KeyNotes({ keys }: Pick<LibraryMove, 'keys'>) {
  return KEY_NOTES.map(([title, why, isOne]) => {
    const some = keys.filter(isOne)
    if (some.length === 0) return null
    return (
      <details key={title} className="text-sm">
        <summary>
          {title}: {counted(some.length, 'variable')}
        </summary>
        <p className="mt-1 text-ink-soft">{why}</p>
        <ul className="mt-1 pl-5">
          {some.map(({ name, key_name }) => (
            <li key={name}>
              <code className="break-words">{name === key_name ? name : `${name} → ${key_name}`}</code>
            </li>
          ))}
        </ul>
      </details>
    )
  })
}

const NO_LIBRARY = 'This is not a complete file of keyferry-server export-library. Export it again.'

/** What `keyferry-server export-library` wrote; for any other text, a sentence for the person. */
function sealedLibraryIn(text: string): LibraryMoveRequest['library'] | string {
  try {
    const { keyferry_library, kid, box_base64 } = JSON.parse(text)
    if (keyferry_library !== 1 || typeof kid !== 'string' || typeof box_base64 !== 'string') return NO_LIBRARY
    return { keyferry_library, kid, box_base64 }
  } catch {
    return NO_LIBRARY
  }
}

/** What arrives, for example `2 bundles and 7 variables`. */
function movedText({ bundles, keys }: LibraryMove): string {
  const arriving = bundles.filter(({ action }) => action === 'create').length
  const made = keys.filter(isMade).length
  return `${counted(arriving, 'bundle')} and ${counted(made, 'variable')}`
}
