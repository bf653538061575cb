import { isProduction } from '@keyferry/contract/production'
import type { ImportPlan } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { failureText } from '../../../lib/calls/failure.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../../lib/calls/use-call.ts'
import { useWeaker } from '../../../lib/data/keys.ts'
import { ago } from '../../../lib/words/time.ts'
import { useUndo } from '../../../ui/cell-form/use-undo.ts'
import { ConfirmDialog } from '../../../ui/confirm-change.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { WeakerNotice } from '../../../ui/stricter-notice.tsx'
import { carryOut, useEnding } from '../../../ui/use-ending.ts'
import type { EntryAt, TakenFrom } from '../environment/environments.ts'

type TakeValueDialogProps = {
  variable: EntryAt
  source: TakenFrom
  onClose: () => void
}

/** Asks before a variable gets the value of another environment. The server copies it, so a secret is neither shown nor
 * typed. The plan is the base: the server refuses the copy if either value has changed since. */
export function TakeValueDialog({ variable, source, onClose }: TakeValueDialogProps) {
  const { bundle, name, cell } = variable
  const { from } = source
  const version = cell.facts?.version ?? 1
  // In the place of a shared key comes a new one, which is secret unless its sender says otherwise.
  const isSplit = (cell.facts?.used_in_bundles ?? 1) > 1
  const isReadable = isSplit && [cell, source.cell].every(({ facts }) => facts?.is_secret === false)
  const taking = {
    bundle: bundle.name,
    entries: [{ name, from: from.name, ...(isReadable ? { is_secret: false } : {}) }],
    own: [name],
    seen: [{ name, version }],
  }
  const asked = useAnswer('importVariables', { ...taking, dry_run: true }, { gcTime: 0, staleTime: 0 })
  const plan = asked.data
  const step = plan?.plan[0]
  const change = useSteps(
    () =>
      call('importVariables', { ...taking, plan_id: plan?.plan_id }).catch(async (error: unknown) => {
        await asked.refetch()
        throw error
      }),
    { refreshes: LIBRARY },
  )
  const weaker = useWeaker([source.cell.key_id ?? ''], bundle.id)
  const undoOf = useUndo({ id: cell.key_id ?? '', version }, bundle.id)
  const end = useEnding({
    onClose,
    done: (answer: ImportPlan) => {
      const id = answer.plan[0]?.key_id
      const text = `${bundle.name} has the value of ${from.name} for ${name}.`
      // A value of another person stays theirs, so only an owner could take it back.
      const isOurs = cell.key_id !== null && source.cell.facts?.may_show === true && !step?.changed
      return { text, ...(isOurs && id != null && undoOf({ id, version: version + 1 })) }
    },
  })
  const production = isProduction(bundle)
  const isShared = step?.action === 'own'
  return (
    <ConfirmDialog
      title={`Take ${from.label}’s ${name} into ${bundle.name}`}
      action={production ? 'Take it into production' : 'Take the value'}
      look={production ? 'danger' : 'primary'}
      busy={change.isPending}
      problem={failureText(change.error ?? asked.error)}
      isReady={step !== undefined && step.action !== 'same'}
      onConfirm={() => carryOut(change, undefined, end)}
      onClose={onClose}
    >
      <p>
        The server copies the value that {from.name} has now. Later changes in {from.label} do not follow.
      </p>
      {production && (
        <Notice tone="danger">
          {bundle.name} is for production. Programs that start with it get this value from the next approval
          on.
        </Notice>
      )}
      {step?.action === 'same' && <Notice tone="plain">{bundle.name} has this value already.</Notice>}
      {source.cell.facts?.may_show === false && (
        <p>Afterwards, only owners can change it here, and members whom the rules of {bundle.name} allow.</p>
      )}
      {isShared && <p>The other bundles that share the value of {bundle.name} keep theirs.</p>}
      {step?.changed && (
        <Notice tone="caution">
          {step.changed.by ?? 'A former user'} changed {name} in {bundle.name} {ago(step.changed.at)}, after
          this page was read.
        </Notice>
      )}
      <WeakerNotice names={weaker} />
    </ConfirmDialog>
  )
}
