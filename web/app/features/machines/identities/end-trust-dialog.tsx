import type { Machine, MachineTrust } from '../../../lib/calls/answers.ts'
import { MACHINES } from '../../../lib/calls/refreshes.ts'
import { useChange } from '../../../lib/calls/use-change.ts'
import { issuerName } from '../../../lib/words/platforms.ts'
import { ConfirmChange } from '../../../ui/confirm-change.tsx'

type EndTrustProps = { machine: Machine; trust: MachineTrust; onClose: () => void }

/** Asks before an identity can no longer be the machine. */
export function EndTrustDialog({ machine, trust, onClose }: EndTrustProps) {
  const end = useChange('endMachineTrust', { machine_id: machine.id }, { refreshes: MACHINES })
  return (
    <ConfirmChange
      title={`End this identity of ${issuerName(trust)}?`}
      action="End identity"
      change={end}
      input={{ trust_id: trust.id }}
      done={`Ended an identity of ${issuerName(trust)}.`}
      onClose={onClose}
    >
      <p>
        The server then refuses its calls. Values that the machine already fetched keep working until you
        change them.
      </p>
    </ConfirmChange>
  )
}
