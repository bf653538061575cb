import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './icon-button.tsx'
import { WholeWords } from './whole-words.tsx'

type CommandLineProps = { command: string; what?: string }

/** A line to use elsewhere, most often in a terminal, with a button that copies it; `what` names it for that button. */
export function CommandLine({ command, what = 'the command' }: CommandLineProps) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(command)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 py-1 text-sm">
        <WholeWords text={command} />
      </code>
      <IconButton label={copied ? 'Copied' : `Copy ${what}`} onClick={() => void copy()}>
        {copied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
      </IconButton>
    </div>
  )
}
