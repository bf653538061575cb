import { useState } from 'react'
import type { Machine } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { shown, useChange } from '../../lib/calls/use-change.ts'
import { ALL_MACHINES } from '../../lib/data/machines.ts'
import { stillCurrent } from '../../lib/rules/still-current.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { GivenValues } from '../../ui/given-values.tsx'
import { useEnding } from '../../ui/use-ending.ts'

/** Asks before a machine is deleted, and ends in the values that it was given and that are still current. */
export function DeleteMachineDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const { id, name } = machine
  const remove = useChange(
    'deleteMachine',
    { machine_id: id },
    { shows: shown('listMachines', ALL_MACHINES, (machines) => machines.filter((each) => each.id !== id)) },
  )
  const holdings = useAnswer('listMachineHoldings', { machine_id: id, limit: 1_000 })
  const [isDeleted, setDeleted] = useState(false)
  const given = holdings.data === undefined ? null : stillCurrent(holdings.data)
  const leave = useEnding({ done: `Deleted ${name}.`, leadsTo: '/machines', onClose })
  if (isDeleted) {
    return (
      <GivenValues
        title={`Deleted ${name}`}
        who="It was"
        keys={given}
        query={holdings}
        onClose={() => leave(null)}
      />
    )
  }
  const end = () => (given !== null && given.length === 0 ? leave(null) : setDeleted(true))
  return (
    <ConfirmChange
      title={`Delete ${name}?`}
      action="Delete machine"
      change={remove}
      input={undefined}
      onDone={end}
      onClose={onClose}
    >
      <p>Its tokens and identities end at once. Jobs that use this machine fail.</p>
      <p>
        {given === null || given.length === 0
          ? 'Values that it received keep working until you change them.'
          : `It has received ${given.length} current ${given.length === 1 ? 'value' : 'values'}. Keyferry lists them next.`}
      </p>
      <p>To stop it for a while, disable it instead.</p>
    </ConfirmChange>
  )
}
