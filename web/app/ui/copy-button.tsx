import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'

const SHOWN_MS = 2_000

/** Copies a text; `what` names it for the button. */
export function CopyButton({ text, what, className }: { text: string; what: string; className?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <IconButton
      label={copied ? 'Copied' : `Copy ${what}`}
      icon={copied ? Check : Copy}
      onClick={() => void copy()}
      className={className}
    />
  )
}
