import { useAnswer } from '../../lib/calls/use-answer.ts'
import { saveFile } from '../../lib/page/save-file.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const FILE = 'keyferry-audit.jsonl'
const NOTE_FILE = 'keyferry-audit.note'

/** How a person proves, without this server, that no entry was changed, removed or added. */
export function CheckDialog({ note, onClose }: { note: string; onClose: () => void }) {
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
              size="small"
              onClick={() => saveFile({ text: note, name: NOTE_FILE, type: 'text/plain' })}
            >
              Save {NOTE_FILE}
            </Button>
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
