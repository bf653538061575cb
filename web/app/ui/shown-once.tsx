import type { ReactNode } from 'react'
import { useUnsaved } from '../lib/page/unsaved.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import { TextField } from './text-field.tsx'
import { useCopying } from './use-copying.ts'

type ShownOnceProps = {
  /** What the secret is called, for example `Token`. */
  label: string
  secret: string
  warning: string
  onClose: () => void
  /** Where to store it. */
  children: ReactNode
}

/** A secret that no later page shows. Until it was copied, closing asks first. */
export function ShownOnce({ label, secret, warning, onClose, children }: ShownOnceProps) {
  const { isCopied, copy } = useCopying(secret)
  const stored = useUnsaved(!isCopied)
  const leave = () => {
    stored()
    onClose()
  }
  return (
    <div className="space-y-4">
      <Notice tone="caution">{warning}</Notice>
      <TextField
        label={label}
        readOnly
        value={secret}
        onFocus={(event) => event.currentTarget.select()}
        autoComplete="off"
        translate="no"
        className="font-mono text-sm"
      />
      <p className="text-sm text-ink-soft">{children}</p>
      <div className="flex flex-wrap justify-end gap-3">
        <Button label={isCopied ? 'Copied' : `Copy ${label.toLowerCase()}`} onClick={copy} />
        <Button label="I have stored it" look="primary" onClick={leave} />
      </div>
    </div>
  )
}
