import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Machine } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useMachineHoldings } from '../../lib/holdings.ts'
import { useDeleteMachine } from '../../lib/machines.ts'
import { stillCurrent } from '../../lib/still-current.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { GivenValues } from '../../ui/given-values.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Asks before a machine is deleted, and ends in the values that it was given and that are still current. */
export function DeleteMachineDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const { id, name } = machine
  const remove = useDeleteMachine(id)
  const holdings = useMachineHoldings(id)
  const [, navigate] = useLocation()
  const [isDeleted, setDeleted] = useState(false)
  const given = holdings.data === undefined ? null : stillCurrent(holdings.data)
  const leave = () => {
    navigate('/machines')
    notify({ text: `Deleted ${name}.` })
  }
  if (isDeleted) {
    return (
      <GivenValues
        title={`Deleted ${name}`}
        who="It was"
        keys={given}
        error={holdings.error}
        onRetry={() => void holdings.refetch()}
        onClose={leave}
      />
    )
  }
  const end = () => (given !== null && given.length === 0 ? leave() : setDeleted(true))
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete machine"
      busy={remove.isPending}
      problem={remove.error === null ? null : describeFailure(remove.error).message}
      onConfirm={() => remove.mutate(undefined, { onSuccess: end })}
      onClose={onClose}
    >
      <p>Its tokens and identities end at once. Jobs that use this machine fail.</p>
      <p>
        {given === null || given.length === 0
          ? 'Values that it received keep working until you change them.'
          : `It has received ${given.length} current ${given.length === 1 ? 'value' : 'values'}. Keyferry lists them next.`}
      </p>
      <p>To stop it for a while, disable it instead.</p>
    </ConfirmDialog>
  )
}
