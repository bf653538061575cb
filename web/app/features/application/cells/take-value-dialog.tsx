import { isProduction } from '@keyferry/contract/production'
import type { ImportPlan } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { failureText } from '../../../lib/calls/failure.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../../lib/calls/use-call.ts'
import { useWeaker } from '../../../lib/data/keys.ts'
import { ago } from '../../../lib/words/time.ts'
import { ConfirmDialog } from '../../../ui/confirm-change.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { WeakerNotice } from '../../../ui/stricter-notice.tsx'
import { carryOut, useEnding } from '../../../ui/use-ending.ts'
import type { EntryAt, TakenFrom } from '../environment/environments.ts'

type TakeValueDialogProps = {
  variable: EntryAt
  source: TakenFrom
  /** Carries out the way back. */
  onUndo: (undo: () => Promise<unknown>) => void
  onClose: () => void
}

/** Asks before a variable gets the value of another environment. The server copies it, so a secret is neither shown nor
 * typed. The plan is the base: the server refuses the copy if either value has changed since. */
export function TakeValueDialog({ variable, source, onUndo, onClose }: TakeValueDialogProps) {
  const { bundle, name, cell } = variable
  const { from } = source
  // In the place of a shared key comes a new one, which is secret unless its sender says otherwise.
  const isSplit = (cell.facts?.used_in_bundles ?? 1) > 1
  const isReadable = isSplit && [cell, source.cell].every(({ facts }) => facts?.is_secret === false)
  const taking = {
    bundle: bundle.name,
    entries: [{ name, from: from.name, ...(isReadable ? { is_secret: false } : {}) }],
    own: [name],
    seen: [{ name, version: cell.facts?.version ?? 1 }],
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
  const end = useEnding({
    onClose,
    done: (answer: ImportPlan) => {
      const back = step?.changed ? null : wayBack(variable, source, answer)
      const text = `${bundle.name} has the value of ${from.name} for ${name}.`
      return back === null ? { text } : { text, undo: () => onUndo(back) }
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

/** Puts back the value from before, or the shared key. A value of another person stays theirs, so only an owner could
 * take it back: null. */
function wayBack({ bundle, cell }: EntryAt, { cell: { facts } }: TakenFrom, answer: ImportPlan) {
  const [before, now] = [cell.key_id, answer.plan[0]?.key_id]
  const version = cell.facts?.version
  if (before === null || now == null || version === undefined || facts?.may_show !== true) return null
  return () =>
    now === before
      ? call('restoreKeyVersion', { key_id: now, version, expected_version: version + 1 })
      : call('changeAttachment', { bundle_id: bundle.id, key_id: now }, { body: { key_id: before } })
}
