import { ShownOnce } from '../../ui/shown-once.tsx'

type ShownSecretProps = { secret: string; onClose: () => void }

/** The secret of a webhook, which no later page shows. */
export function ShownSecret({ secret, onClose }: ShownSecretProps) {
  return (
    <ShownOnce
      label="Secret"
      secret={secret}
      warning="Copy the secret now. The server does not show it again."
      onClose={onClose}
    >
      The receiver needs it to verify the header <code className="font-mono">webhook-signature</code> of each
      call (Standard Webhooks). Refuse calls without a valid signature.
    </ShownOnce>
  )
}
