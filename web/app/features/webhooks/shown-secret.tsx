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
      The receiver needs it to check the signature of each call, which follows the Standard Webhooks
      convention: the header <code className="font-mono">webhook-signature</code>. A call without a valid
      signature is not from here.
    </ShownOnce>
  )
}
