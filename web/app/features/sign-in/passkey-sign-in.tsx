import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { describeFailure } from '../../lib/calls/failure.ts'
import { passkeyObstacle } from '../../lib/data/passkey-browser.ts'
import { offerPasskeys, signInWithPasskey, stopOfferingPasskeys } from '../../lib/data/passkey-sign-in.ts'
import { useSession } from '../../lib/data/session.ts'
import { returnAddress } from '../../lib/data/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

const goOn = () => location.assign(returnAddress())

/** Signs in with a passkey alone, where passkeys work; nothing is shown elsewhere. */
export function PasskeySignIn() {
  const session = useSession().data
  if (session === undefined || passkeyObstacle(session.passkey_origin) !== null) return null
  return <PasskeyButton />
}

function PasskeyButton() {
  const [problem, setProblem] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const showProblem = (error: unknown) => {
    setProblem(refusal(error))
    setRound((before) => before + 1)
  }
  const attempt = useMutation({
    mutationFn: signInWithPasskey,
    onMutate: () => setProblem(null),
    onSuccess: goOn,
    onError: showProblem,
  })
  useOffer(round, showProblem)
  return (
    <div className="mt-5 border-t border-line pt-5">
      <Button size="large" busy={attempt.isPending} className="w-full" onClick={() => attempt.mutate()}>
        <KeyRound aria-hidden size={18} />
        Sign in with a passkey
      </Button>
      {problem !== null && (
        <Notice tone="danger" role="alert" className="mt-4">
          {problem}
        </Notice>
      )}
    </div>
  )
}

/** Offers the browser's passkeys in the e-mail field, and again in each new round: a failed try ends the offer. */
function useOffer(round: number, showProblem: (error: unknown) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new round begins a new offer
  useEffect(() => {
    offerPasskeys().then((isSignedIn) => isSignedIn && goOn(), showProblem)
    return () => void stopOfferingPasskeys()
  }, [round])
}

function refusal(error: unknown): string {
  const { status, message } = describeFailure(error)
  return status === 401 ? 'This passkey does not sign in here. Use another one, or your password.' : message
}
