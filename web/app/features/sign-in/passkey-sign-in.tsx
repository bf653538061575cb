import { askedReturn } from '@keyferry/contract/return-path'
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useEffect } from 'react'
import { describeFailure } from '../../lib/failure.ts'
import { passkeyObstacle } from '../../lib/passkey-browser.ts'
import { offerPasskeys, signInWithPasskey, stopOfferingPasskeys } from '../../lib/passkey-sign-in.ts'
import { useSession } from '../../lib/session.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

const goOn = () => location.assign(askedReturn(location.search))

/** Signs in with a passkey alone, where passkeys work; nothing is shown elsewhere. */
export function PasskeySignIn() {
  const session = useSession().data
  if (session === undefined || passkeyObstacle(session.passkeyOrigin) !== null) return null
  return <PasskeyButton />
}

function PasskeyButton() {
  const attempt = useMutation({ mutationFn: signInWithPasskey, onSuccess: goOn })
  const offer = useMutation({ mutationFn: offerPasskeys, onSuccess: (isSignedIn) => isSignedIn && goOn() })
  const { mutate } = offer
  useEffect(() => {
    mutate()
    return () => void stopOfferingPasskeys()
  }, [mutate])
  const error = attempt.error ?? offer.error
  return (
    <div className="mt-5 border-t border-line pt-5">
      <Button
        size="large"
        busy={attempt.isPending}
        className="w-full"
        onClick={() => {
          offer.reset()
          attempt.mutate()
        }}
      >
        <KeyRound aria-hidden size={18} />
        Sign in with a passkey
      </Button>
      {error !== null && !attempt.isPending && (
        <Notice tone="danger" role="alert" className="mt-4">
          {refusal(error)}
        </Notice>
      )}
    </div>
  )
}

function refusal(error: unknown): string {
  const { status, message } = describeFailure(error)
  return status === 401 ? 'This passkey does not sign in here. Use another one, or your password.' : message
}
