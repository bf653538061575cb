import { useState } from 'react'
import { sealIn } from '../../lib/activity/log-texts.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useNow } from '../../lib/page/use-now.ts'
import { ago } from '../../lib/words/time.ts'
import { CheckDialog } from './check-dialog.tsx'

const TICK_MS = 5_000

/** How far the log is sealed, and the way to check that. */
export function SealLine() {
  const note = useAnswer('getAuditNote', {}, { refetchInterval: 10_000 }).data
  const nowMs = useNow(TICK_MS)
  const [checking, setChecking] = useState(false)
  // Before the first seal the server answers 404.
  const seal = note === undefined ? null : sealIn(note)
  if (note === undefined || seal === null) return <>What happened in this workspace.</>
  return (
    <>
      Sealed to entry {seal.seq.toLocaleString()}, {ago(seal.at, nowMs)} ·{' '}
      <button type="button" className="link" onClick={() => setChecking(true)}>
        How to check it yourself
      </button>
      {checking && <CheckDialog note={note} onClose={() => setChecking(false)} />}
    </>
  )
}
