import { isProduction } from '@keyferry/contract/production'
import type { ComparedCell, ImportPlan } from '../../lib/calls/answers.ts'
import { call } from '../../lib/calls/call.ts'
import { LIBRARY } from '../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../lib/calls/use-call.ts'
import { useWeaker } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { useUndo } from '../../ui/cell-form/use-undo.ts'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { StepRow } from '../../ui/import-step/step-row.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Rows } from '../../ui/section.tsx'
import { WeakerNotice } from '../../ui/stricter-notice.tsx'
import { carryOut, useEnding } from '../../ui/use-ending.ts'
import { useTakingBack } from '../../ui/use-taking-back.ts'
import type { EnvironmentColumn } from './environment/environments.ts'

/** A variable, what a bundle has of it, and the bundle with the value to copy. */
type VariableCopy = {
  name: string
  cell: ComparedCell
  from: { name: string }
  source: ComparedCell
}

type CopyDialogProps = { to: EnvironmentColumn; copies: readonly VariableCopy[]; onClose: () => void }

/** Asks before a bundle gets the values that others have now. The server copies them, so no secret is shown or typed.
 * The plan is the base: the server refuses the copy if a value has changed since. */
export function CopyDialog({ to, copies, onClose }: CopyDialogProps) {
  const { asked, steps, change } = useCopying(to, copies)
  const weaker = useWeaker(
    copies.map(({ source }) => source.key_id ?? ''),
    to.id,
  )
  const [only, ...others] = copies
  const version = only?.cell.facts?.version ?? 1
  const undoOf = useUndo({ id: only?.cell.key_id ?? '', version }, to.id)
  const isNew = copies.every(({ cell }) => cell.key_id === null)
  // A value of another person stays theirs, so only an owner could take it back.
  const isOurs =
    copies.every(({ source }) => source.facts?.may_show === true) && !steps.some(({ changed }) => changed)
  const takeBack = useTakingBack({ names: copies.map(({ name }) => name), bundles: [to.name] })
  const what = only !== undefined && others.length === 0 ? only.name : counted(copies.length, 'variable')
  const done = (answer: ImportPlan) => {
    const id = answer.plan[0]?.key_id
    const isOne = others.length === 0 && id != null
    const undo = isNew ? { undo: takeBack } : isOne && undoOf({ id, version: version + 1 })
    return { text: `Copied ${what} to ${to.name}.`, ...(isOurs && undo) }
  }
  const end = useEnding({ onClose, done })
  return (
    <ConfirmDialog
      title={`Copy ${what} to ${to.name}`}
      action={`Copy ${copies.length} to ${isProduction(to) ? 'production' : to.name}`}
      isProduction={isProduction(to)}
      busy={change.isPending}
      error={change.error ?? asked.error}
      isReady={steps.some(({ action }) => action !== 'same')}
      onConfirm={() => carryOut(change, undefined, end)}
      onClose={onClose}
    >
      <p>The server copies what the others have now. Later changes there do not follow.</p>
      {isProduction(to) && (
        <Notice tone="danger">
          {to.name} is for production. Programs that start with it get this from the next approval on.
        </Notice>
      )}
      <Rows label="Variables" className="max-h-60 overflow-auto">
        {copies.map(({ name, from }) => {
          const step = steps.find((each) => each.name === name)
          return (
            <StepRow
              key={name}
              name={name}
              step={step && { ...step, choices: [] }}
              from={from.name}
              about={step ? undefined : 'One moment…'}
            />
          )
        })}
      </Rows>
      {copies.some(({ source }) => source.facts?.may_show === false) && (
        <p>Afterwards, only owners can change it here, and members whom the rules of {to.name} allow.</p>
      )}
      <WeakerNotice names={weaker} />
    </ConfirmDialog>
  )
}

function useCopying(to: EnvironmentColumn, copies: readonly VariableCopy[]) {
  const copying = {
    bundle: to.name,
    entries: copies.map(({ name, from }) => ({ name, from: from.name })),
    own: copies.map(({ name }) => name),
    seen: copies.flatMap(({ name, cell }) => (cell.facts ? [{ name, version: cell.facts.version }] : [])),
  }
  const asked = useAnswer('importVariables', { ...copying, dry_run: true }, { gcTime: 0, staleTime: 0 })
  const change = useSteps(
    () =>
      call('importVariables', { ...copying, plan_id: asked.data?.plan_id }).catch(async (error: unknown) => {
        await asked.refetch()
        throw error
      }),
    { refreshes: LIBRARY },
  )
  return { asked, steps: asked.data?.plan ?? [], change }
}
