import { CopyButton } from './copy-button.tsx'
import { WholeWords } from './whole-words.tsx'

/** A line to use elsewhere, most often in a terminal, with a button that copies it; `what` names it for that button. */
export function CommandLine({ command, what = 'the command' }: { command: string; what?: string }) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 py-1 text-sm">
        <WholeWords text={command} />
      </code>
      <CopyButton text={command} what={what} />
    </div>
  )
}
