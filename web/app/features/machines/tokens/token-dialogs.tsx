import { spanText } from '@keyferry/contract/limits'
import { MACHINE_LIMITS, MACHINE_TIMES } from '@keyferry/contract/machines/limits'
import { useState } from 'react'
import { describeFailure } from '../../../lib/calls/failure.ts'
import { useChange } from '../../../lib/calls/use-call.ts'
import type { CreatedToken, Machine, MachineToken } from '../../../lib/machines/answers.ts'
import { networksIn } from '../../../lib/machines/networks.ts'
import { dateTime } from '../../../lib/words/time.ts'
import { ConfirmChange } from '../../../ui/confirm-change.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { NetworksField } from '../networks-field.tsx'

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
  const create = useChange('createMachineToken', { machine_id: machine.id })
  const [days, setDays] = useState(String(MACHINE_LIMITS.defaultTokenDays))
  const [networks, setNetworks] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const failure = create.error === null ? null : describeFailure(create.error)
  const isOfNetworks = failure?.details['field'] === 'networks'
  const input = () => {
    const count = Number(days)
    const isFine = Number.isInteger(count) && count >= 1 && count <= MACHINE_LIMITS.tokenDays
    setProblem(isFine ? null : `Use 1 to ${MACHINE_LIMITS.tokenDays} days.`)
    return isFine ? { expires_in_days: count, networks: networksIn(networks) } : null
  }
  return (
    <DialogForm
      title="Create a token"
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
        max={MACHINE_LIMITS.tokenDays}
        value={days}
        autoFocus
        onChange={setDays}
        problem={problem}
        hint={`Every token expires. At most ${MACHINE_LIMITS.tokenDays} days.`}
      />
      <NetworksField
        value={networks}
        onChange={setNetworks}
        problem={isOfNetworks ? failure?.message : null}
      />
    </DialogForm>
  )
}

const OVERLAPS = {
  0: 'It ends at once',
  3600: 'One hour',
  86400: 'One day',
  604800: 'One week',
  [MACHINE_TIMES.maxOverlapSeconds]: spanText(MACHINE_TIMES.maxOverlapSeconds),
} as const

const ONE_DAY = String(MACHINE_TIMES.overlapSeconds)

type TokenDialogProps = { machine: Machine; token: MachineToken; onClose: () => void }

/** Creates a token in the place of another one, which works a while longer. */
export function RotateTokenDialog({ machine, token, onClose }: TokenDialogProps) {
  const rotate = useChange('rotateMachineToken', { machine_id: machine.id, token_id: token.id })
  const [overlap, setOverlap] = useState(ONE_DAY)
  const [created, setCreated] = useState<CreatedToken | null>(null)
  return (
    <Dialog title={created === null ? `Rotate …${token.hint}` : 'New token'} onClose={onClose}>
      {created === null ? (
        <DialogForm
          title="Create the new token"
          action="Create the new token"
          change={rotate}
          input={() => ({ overlap_seconds: Number(overlap) })}
          onDone={setCreated}
          onClose={onClose}
        >
          <p className="text-ink-soft">
            The new token has the same networks and the same lifetime. Replace the old one where it is used
            while both work.
          </p>
          <SelectField
            label="How long the old token works"
            value={overlap}
            options={OVERLAPS}
            onChange={setOverlap}
          />
        </DialogForm>
      ) : (
        <ShownToken token={created} onClose={onClose} />
      )}
    </Dialog>
  )
}

/** A new token, which no later page shows. */
function ShownToken({ token: { token, expires_at }, onClose }: { token: CreatedToken; onClose: () => void }) {
  return (
    <ShownOnce
      label="Token"
      secret={token}
      warning={`Copy the token now. The server does not show it again. It works until ${dateTime(expires_at)}.`}
      onClose={onClose}
    >
      Store it where only the service can read it, and give it to the client as{' '}
      <code translate="no" className="font-mono">
        KEYFERRY_TOKEN_FILE
      </code>{' '}
      or{' '}
      <code translate="no" className="font-mono">
        KEYFERRY_TOKEN
      </code>
      , never as an argument.
    </ShownOnce>
  )
}

/** Asks before a token ends. */
export function EndTokenDialog({ machine, token, onClose }: TokenDialogProps) {
  const end = useChange('endMachineToken', { machine_id: machine.id, token_id: token.id })
  return (
    <ConfirmChange
      title={`End the token …${token.hint}?`}
      action="End token"
      change={end}
      done={`Ended the token …${token.hint}.`}
      onClose={onClose}
    >
      <p>
        The server then refuses it. Values that the machine already fetched keep working until you change
        them.
      </p>
    </ConfirmChange>
  )
}
