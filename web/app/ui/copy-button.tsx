import { IconButton } from './button.tsx'
import { Check, Copy } from './icons.ts'
import { useCopying } from './use-copying.ts'

const SHOWN_MS = 2_000

/** Copies a text; `what` names it for the button. */
export function CopyButton({ text, what, className }: { text: string; what: string; className?: string }) {
  const { isCopied, copy } = useCopying(text, SHOWN_MS)
  return (
    <IconButton
      label={isCopied ? 'Copied' : `Copy ${what}`}
      icon={isCopied ? Check : Copy}
      onClick={copy}
      className={className}
    />
  )
}
