import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './icon-button.tsx'

const SHOWN_MS = 2_000

type CopyButtonProps = { text: string; what: string; className?: string }

/** Copies a text; `what` names it for the button. */
export function CopyButton({ text, what, className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <IconButton label={copied ? 'Copied' : `Copy ${what}`} onClick={() => void copy()} className={className}>
      {copied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
    </IconButton>
  )
}
