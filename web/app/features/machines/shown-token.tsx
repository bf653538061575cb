import { useState } from 'react'
import type { CreatedToken } from '../../lib/answers.ts'
import { dateTime } from '../../lib/time.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'

type ShownTokenProps = { token: CreatedToken; onClose: () => void }

/** A new token, which no later page shows. Until it was copied, closing asks first. */
export function ShownToken({ token: { token, expires_at }, onClose }: ShownTokenProps) {
  const [isCopied, setCopied] = useState(false)
  useUnsaved(!isCopied)
  const copy = async () => {
    await navigator.clipboard.writeText(token)
    setCopied(true)
  }
  return (
    <div className="space-y-4">
      <Notice tone="caution">
        Copy the token now. The server does not show it again. It works until {dateTime(expires_at)}.
      </Notice>
      <TextField
        label="Token"
        readOnly
        value={token}
        onFocus={(event) => event.currentTarget.select()}
        autoComplete="off"
        className="font-mono text-sm"
      />
      <p className="text-sm text-ink-soft">
        Store it where only the service can read it, and give it to the client as{' '}
        <code className="font-mono">KEYFERRY_TOKEN_FILE</code> or{' '}
        <code className="font-mono">KEYFERRY_TOKEN</code>, never as an argument.
      </p>
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={() => void copy()}>{isCopied ? 'Copied' : 'Copy token'}</Button>
        <Button look="primary" onClick={onClose}>
          I have stored it
        </Button>
      </div>
    </div>
  )
}
