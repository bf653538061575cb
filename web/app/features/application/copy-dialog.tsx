import { isProduction } from '@keyferry/contract/production'
import type { ComparedCell, ImportPlan } from '../../lib/calls/answers.ts'
import { call } from '../../lib/calls/call.ts'
import { failureText } from '../../lib/calls/failure.ts'
import { LIBRARY } from '../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../lib/calls/use-call.ts'
import { useWeaker } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { useUndo } from '../../ui/cell-form/use-undo.ts'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { StepRow } from '../../ui/import-step/step-row.tsx'
import { Notice } from '../../ui/notice.tsx'
import { WeakerNotice } from '../../ui/stricter-notice.tsx'
import { carryOut, useEnding } from '../../ui/use-ending.ts'
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
  const what = only !== undefined && others.length === 0 ? only.name : counted(copies.length, 'variable')
  const done = (answer: ImportPlan) => {
    const id = answer.plan[0]?.key_id
    // A value of another person stays theirs, so only an owner could take it back.
    const isOurs = others.length === 0 && only?.source.facts?.may_show === true && !steps[0]?.changed
    const canUndo = isOurs && only.cell.key_id !== null && id != null
    return { text: `Copied ${what} to ${to.name}.`, ...(canUndo && undoOf({ id, version: version + 1 })) }
  }
  const end = useEnding({ onClose, done })
  return (
    <ConfirmDialog
      title={`Copy ${what} to ${to.name}`}
      action={`Copy ${copies.length} to ${isProduction(to) ? 'production' : to.name}`}
      isProduction={isProduction(to)}
      busy={change.isPending}
      problem={failureText(change.error ?? asked.error)}
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
      <ul aria-label="Variables" className="max-h-60 divide-y divide-line overflow-auto">
        {steps.map((step) => (
          <StepRow
            key={step.name}
            name={step.name}
            step={{ ...step, choices: [] }}
            from={copies.find(({ name }) => name === step.name)?.from.name}
          />
        ))}
      </ul>
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
