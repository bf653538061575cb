import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  offerPasskeys,
  returnAddress,
  signIn,
  signInWithPasskey,
  stopOfferingPasskeys,
} from '../../lib/accounts/sign-in.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useSession } from '../../lib/data/me.ts'
import { passkeyObstacle } from '../../lib/data/passkey-browser.ts'
import { Button } from '../../ui/button.tsx'
import { FingerprintPattern } from '../../ui/icons.ts'
import { Notice, Problem } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { AccountForm, EmailField, FormCard } from './account-form.tsx'
import { NewPasswordField, PasswordField, useNewPassword } from './password-field.tsx'

/** Signs in with e-mail and password, where the server keeps accounts itself. */
export function SignInPage() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { field, isFine } = useNewPassword()
  const [wasReset, setWasReset] = useState(false)
  const [asksPasskey, setAsksPasskey] = useState(false)
  const attempt = useMutation({
    mutationFn: signIn,
    gcTime: 0,
    onError: (error) => setWasReset((before) => before || describeFailure(error).code === RESET),
    onSuccess: goOn,
  })
  const submit = () => {
    const newPassword = wasReset ? field.value : null
    if (!wasReset || isFine())
      attempt.mutate({ email, password, newPassword, onPasskey: () => setAsksPasskey(true) })
  }
  const session = useSession()
  if (session.isLoading) return null // what it says decides what comes first
  const takesPasskey =
    session.data !== undefined && passkeyObstacle(session.data.passkey_origin ?? null) === null
  // Never the command: a stranger may have chosen it.
  const intro = returnAddress().startsWith('/approve/') ? 'A terminal waits for your decision.' : undefined
  return (
    <FormCard>
      <PageHeading title="Sign in" intro={intro} />
      {takesPasskey && <PasskeyButton />}
      <AccountForm
        action="Sign in"
        look={takesPasskey ? 'neutral' : 'primary'}
        attempt={attempt}
        explain={({ status, code }) => {
          if (code === RESET) return null
          return status === 401 ? 'E-mail or password is wrong.' : undefined
        }}
        onSubmit={submit}
      >
        <EmailField value={email} onChange={setEmail} autoComplete="username webauthn" autoFocus />
        <PasswordField name="password" value={password} onChange={setPassword} />
        {wasReset && (
          <>
            <Notice tone="plain" role="status">
              Your password was reset. Choose a new one to sign in.
            </Notice>
            <NewPasswordField {...field} label="New password" autoFocus />
          </>
        )}
        {asksPasskey && attempt.isPending && (
          <Notice tone="plain" role="status">
            Confirm with your passkey.
          </Notice>
        )}
      </AccountForm>
    </FormCard>
  )
}

const RESET = 'password_change_required'

const goOn = () => location.assign(returnAddress())

/** Signs in with a passkey alone. */
function PasskeyButton() {
  const [problem, setProblem] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const showProblem = (error: unknown) => {
    setProblem(passkeyRefusal(error))
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
    <div className="mb-5 border-b border-line pb-5">
      <Button
        label="Sign in with a passkey"
        look="primary"
        size="large"
        busy={attempt.isPending}
        className="w-full"
        onClick={() => attempt.mutate()}
        icon={FingerprintPattern}
      />
      <Problem text={problem} className="mt-4" />
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

function passkeyRefusal(error: unknown): string {
  const { status, message } = describeFailure(error)
  return status === 401 ? 'This passkey does not sign in here. Use another one, or your password.' : message
}
