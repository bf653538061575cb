import { useState } from 'react'
import { checkpointIn, nextFrom } from '../../lib/activity/log-texts.ts'
import { call } from '../../lib/calls/call.ts'
import { useAnswer, useSteps } from '../../lib/calls/use-call.ts'
import { useNow } from '../../lib/page/use-now.ts'
import { ago } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Download } from '../../ui/icons.ts'
import { failing, notify } from '../../ui/toast-store.ts'

/** Saves the whole log. */
export function DownloadButton() {
  const { mutateAsync, isPending } = useSteps(downloadLog)
  // `mutate` drops its callbacks when the page unmounts; this promise still reports the result.
  const download = () =>
    void mutateAsync().then(
      (files) => notify({ text: files === 1 ? `Saved ${FILE}.` : `Saved ${files} files.` }),
      failing('download the log'),
    )
  return <Button label="Download" size="small" busy={isPending} onClick={download} icon={Download} />
}

const TICK_MS = 5_000

/** How far the log is signed, and the way to check that. */
export function CheckpointLine() {
  const note = useAnswer('getAuditNote', {}, { refetchInterval: 10_000 }).data
  const nowMs = useNow(TICK_MS)
  const [checking, setChecking] = useState(false)
  // Before the first checkpoint the server answers 404.
  const checkpoint = note === undefined ? null : checkpointIn(note)
  if (note === undefined || checkpoint === null) return null
  return (
    <span className="self-center text-xs text-ink-soft max-sm:basis-full" title={ago(checkpoint.at, nowMs)}>
      Sealed to entry {checkpoint.seq.toLocaleString()} ·{' '}
      <button type="button" className="link" onClick={() => setChecking(true)}>
        Check it yourself
      </button>
      {checking && <CheckDialog note={note} onClose={() => setChecking(false)} />}
    </span>
  )
}

const FILE = 'keyferry-audit.jsonl'
const NOTE_FILE = 'keyferry-audit.note'

/** How a person proves, without this server, that no entry was changed, removed or added. */
function CheckDialog({ note, onClose }: { note: string; onClose: () => void }) {
  const key = useAnswer('getAuditKey', {}, { staleTime: Number.POSITIVE_INFINITY }).data?.key
  const verify = `keyferry audit verify ${FILE}${key === undefined ? '' : ` --key '${key}'`}`
  return (
    <Dialog title="Check the log yourself" onClose={onClose}>
      <p className="text-sm text-ink-soft">
        Each entry is hashed together with the one before it, and the server signs the newest hash. An entry
        that was changed, removed or added breaks the chain.
      </p>
      <ol className="mt-4 list-decimal space-y-4 pl-5 text-sm marker:text-ink-faint">
        <li>
          <p className="mb-1.5">Download the log. Check the chain and the signature, offline:</p>
          <CommandLine command={verify} />
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
              onClick={() => saveFile(note, NOTE_FILE, 'text/plain')}
            />
            <CommandLine command={`${verify} --note ${NOTE_FILE}`} />
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

const TIMEOUT_MS = 600_000

/** Save the whole log, as one file for each 100,000 entries. @returns how many files that were */
async function downloadLog(): Promise<number> {
  let [from, files]: [number | null, number] = [1, 0]
  while (from !== null) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const text: string = await call('exportAudit', { from_seq: from }, { signal })
    files += 1
    const name = files === 1 ? FILE : `keyferry-audit-${files}.jsonl`
    saveFile(text, name, 'application/jsonl')
    from = nextFrom(text)
  }
  return files
}

/** Let the browser save a text as a file. */
function saveFile(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
