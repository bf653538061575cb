import { useState } from 'react'
import { sealIn } from '../../lib/activity/log-texts.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { saveFile } from '../../lib/page/save-file.ts'
import { useNow } from '../../lib/page/use-now.ts'
import { ago } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Dialog } from '../../ui/dialog.tsx'

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

const FILE = 'keyferry-audit.jsonl'
const NOTE_FILE = 'keyferry-audit.note'

/** How a person proves, without this server, that no entry was changed, removed or added. */
function CheckDialog({ note, onClose }: { note: string; onClose: () => void }) {
  const key = useAnswer('getAuditKey', {}, { staleTime: Number.POSITIVE_INFINITY }).data?.key
  return (
    <Dialog title="Check the log yourself" onClose={onClose} wide>
      <p className="text-sm text-ink-soft">
        Each entry is hashed together with the one before it, and the server signs the newest hash. An entry
        that was changed, removed or added breaks the chain.
      </p>
      <ol className="mt-4 list-decimal space-y-4 pl-5 text-sm marker:text-ink-faint">
        <li>
          <p className="mb-1.5">Download the log. Check the chain and the signature, offline:</p>
          <CommandLine
            command={`keyferry audit verify ${FILE}${key === undefined ? '' : ` --key '${key}'`}`}
          />
        </li>
        <li>
          <p className="mb-1.5">
            Save today’s note outside this server. With it you also notice if the newest entries are cut off
            later:
          </p>
          <div className="space-y-2">
            <Button
              label={`Save ${NOTE_FILE}`}
              size="small"
              onClick={() => saveFile({ text: note, name: NOTE_FILE, type: 'text/plain' })}
            />
            <CommandLine
              command={`keyferry audit verify ${FILE}${key === undefined ? '' : ` --key '${key}'`} --note ${NOTE_FILE}`}
            />
          </div>
        </li>
        <li>
          <p className="mb-1.5">On the server, check the database itself:</p>
          <CommandLine command="keyferry-server audit-verify" />
        </li>
      </ol>
      <p className="mt-4 text-sm text-ink-soft">
        <code className="font-mono">docs/audit.md</code> describes the format, with a short Python program
        that checks a download without Keyferry.
      </p>
    </Dialog>
  )
}
