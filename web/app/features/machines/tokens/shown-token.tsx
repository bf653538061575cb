import type { CreatedToken } from '../../../lib/calls/answers.ts'
import { dateTime } from '../../../lib/words/time.ts'
import { ShownOnce } from '../../../ui/shown-once.tsx'

type ShownTokenProps = { token: CreatedToken; onClose: () => void }

/** A new token, which no later page shows. */
export function ShownToken({ token: { token, expires_at }, onClose }: ShownTokenProps) {
  return (
    <ShownOnce
      label="Token"
      secret={token}
      warning={`Copy the token now. The server does not show it again. It works until ${dateTime(expires_at)}.`}
      onClose={onClose}
    >
      Store it where only the service can read it, and give it to the client as{' '}
      <code className="font-mono">KEYFERRY_TOKEN_FILE</code> or{' '}
      <code className="font-mono">KEYFERRY_TOKEN</code>, never as an argument.
    </ShownOnce>
  )
}
