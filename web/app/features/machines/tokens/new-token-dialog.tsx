import { LIMITS } from '@keyferry/contract/limits'
import { useState } from 'react'
import type { CreatedToken, Machine } from '../../../lib/calls/answers.ts'
import { describeFailure } from '../../../lib/calls/failure.ts'
import { MACHINES } from '../../../lib/calls/refreshes.ts'
import { useChange } from '../../../lib/calls/use-change.ts'
import { networksIn } from '../../../lib/rules/networks.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { NetworksField } from '../networks-field.tsx'
import { ShownToken } from './shown-token.tsx'

type NewTokenProps = { machine: Machine; onClose: () => void }

/** Creates a token of a machine and shows it once. */
export function NewTokenDialog({ machine, onClose }: NewTokenProps) {
  const [created, setCreated] = useState<CreatedToken | null>(null)
  return (
    <Dialog title={created === null ? 'Create a token' : 'Token created'} onClose={onClose}>
      {created === null ? (
        <NewTokenForm machine={machine} onCreated={setCreated} onClose={onClose} />
      ) : (
        <ShownToken token={created} onClose={onClose} />
      )}
    </Dialog>
  )
}

type NewTokenFormProps = NewTokenProps & { onCreated: (token: CreatedToken) => void }

function NewTokenForm({ machine, onCreated, onClose }: NewTokenFormProps) {
  const create = useChange('createMachineToken', { machine_id: machine.id }, { refreshes: MACHINES })
  const [days, setDays] = useState(String(LIMITS.defaultTokenDays))
  const [networks, setNetworks] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const failure = create.error === null ? null : describeFailure(create.error)
  const isOfNetworks = failure?.details['field'] === 'networks'
  const input = () => {
    const count = Number(days)
    const isFine = Number.isInteger(count) && count >= 1 && count <= LIMITS.tokenDays
    setProblem(isFine ? null : `Use 1 to ${LIMITS.tokenDays} days.`)
    return isFine ? { expires_in_days: count, networks: networksIn(networks) } : null
  }
  return (
    <DialogForm
      action="Create token"
      change={create}
      input={input}
      unsaved={networks !== ''}
      hidesError={isOfNetworks}
      onDone={onCreated}
      onClose={onClose}
    >
      <TextField
        label="Expires after days"
        type="number"
        inputMode="numeric"
        min={1}
        max={LIMITS.tokenDays}
        value={days}
        autoFocus
        onChange={(event) => setDays(event.currentTarget.value)}
        problem={problem}
        hint={`Every token expires. At most ${LIMITS.tokenDays} days.`}
      />
      <NetworksField
        value={networks}
        onChange={setNetworks}
        problem={isOfNetworks ? failure?.message : null}
      />
    </DialogForm>
  )
}
