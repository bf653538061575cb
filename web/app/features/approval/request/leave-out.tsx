import { Button } from '../../../ui/button.tsx'
import type { LeavingOut } from '../offer.ts'

/** Leaves out the keys that a rule covers, where something else is left to approve. */
export function LeaveOut({ leaveOut }: { leaveOut: LeavingOut | null | undefined }) {
  if (!leaveOut) return null
  const label = `Leave ${leaveOut.count === 1 ? 'it' : 'them'} out`
  return <Button label={label} size="small" className="shrink-0" onClick={leaveOut.act} />
}
