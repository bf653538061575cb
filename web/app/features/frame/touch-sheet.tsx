import { useState, useSyncExternalStore } from 'react'
import { failureText } from '../../lib/calls/failure.ts'
import { onTouchSheet, sign, type TouchSheet, touchSheet } from '../../lib/calls/touch.ts'
import { actText } from '../../lib/words/acts.ts'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'

/** Asks for the signature that a call needs, and says what is signed. */
export function TouchSheets() {
  const sheet = useSyncExternalStore(onTouchSheet, touchSheet)
  return sheet === undefined ? null : <Sheet key={sheet.asked.token} {...sheet} />
}

function Sheet({ act, input, asked, end }: TouchSheet) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const confirm = async () => {
    setBusy(true)
    setProblem(null)
    try {
      end(await sign(asked))
    } catch (error) {
      setProblem(failureText(error))
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      title="Sign with your approval key"
      action="Sign"
      busy={busy}
      problem={problem}
      onConfirm={() => void confirm()}
      onClose={() => end(null)}
    >
      <p className="[overflow-wrap:anywhere] text-ink">{actText(act, asked, input)}</p>
      <p className="text-sm">Without this signature nothing changes.</p>
    </ConfirmDialog>
  )
}
