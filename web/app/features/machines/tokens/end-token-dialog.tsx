import type { Machine, MachineToken } from '../../../lib/calls/answers.ts'
import { MACHINES } from '../../../lib/calls/refreshes.ts'
import { useChange } from '../../../lib/calls/use-change.ts'
import { ConfirmChange } from '../../../ui/confirm-change.tsx'

type EndTokenProps = { machine: Machine; token: MachineToken; onClose: () => void }

/** Asks before a token ends. */
export function EndTokenDialog({ machine, token, onClose }: EndTokenProps) {
  const end = useChange('endMachineToken', { machine_id: machine.id }, { refreshes: MACHINES })
  return (
    <ConfirmChange
      title={`End the token …${token.hint}?`}
      action="End token"
      change={end}
      input={{ token_id: token.id }}
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
