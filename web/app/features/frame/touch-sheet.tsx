import { useSyncExternalStore } from 'react'
import { onTouchSheet, sign, type TouchSheet, touchSheet } from '../../lib/calls/touch.ts'
import { useSteps } from '../../lib/calls/use-call.ts'
import { actText } from '../../lib/words/acts.ts'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'

/** Asks for the signature that a call needs, and says what is signed. */
export function TouchSheets() {
  const sheet = useSyncExternalStore(onTouchSheet, touchSheet)
  return sheet === undefined ? null : <Sheet key={sheet.asked.token} {...sheet} />
}

function Sheet({ act, input, asked, end }: TouchSheet) {
  const signing = useSteps(async () => end(await sign(asked)))
  return (
    <ConfirmDialog
      title="Sign with your signing key"
      action="Sign"
      busy={signing.isPending}
      error={signing.error}
      onConfirm={() => signing.mutate(undefined)}
      onClose={() => end(null)}
    >
      <p className="[overflow-wrap:anywhere] text-ink">{actText(act, asked, input)}</p>
      <p className="text-sm">Without this signature nothing changes.</p>
    </ConfirmDialog>
  )
}
