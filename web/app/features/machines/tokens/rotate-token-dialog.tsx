import { useState } from 'react'
import type { CreatedToken, Machine, MachineToken } from '../../../lib/calls/answers.ts'
import { MACHINES } from '../../../lib/calls/refreshes.ts'
import { useChange } from '../../../lib/calls/use-change.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { ShownToken } from './shown-token.tsx'

const OVERLAPS = {
  0: 'It ends at once',
  3600: 'One hour',
  86400: 'One day',
  604800: 'One week',
  2592000: '30 days',
} as const

const ONE_DAY = '86400'

type RotateTokenProps = { machine: Machine; token: MachineToken; onClose: () => void }

/** Creates a token in the place of another one, which works a while longer. */
export function RotateTokenDialog({ machine, token, onClose }: RotateTokenProps) {
  const given = { machine_id: machine.id, token_id: token.id }
  const rotate = useChange('rotateMachineToken', given, { refreshes: MACHINES })
  const [overlap, setOverlap] = useState(ONE_DAY)
  const [created, setCreated] = useState<CreatedToken | null>(null)
  return (
    <Dialog title={created === null ? `Rotate …${token.hint}` : 'New token'} onClose={onClose}>
      {created === null ? (
        <DialogForm
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
