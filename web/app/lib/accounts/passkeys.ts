import { call } from '../calls/call.ts'
import { Problem } from '../calls/failure.ts'
import { useSteps } from '../calls/use-call.ts'
import { passkeyProblem, webAuthn } from '../data/passkey-browser.ts'

/** Let the browser make a passkey, and add it to the person's account. */
export function useAddPasskey() {
  return useSteps(
    async ({ name, current }: { name: string; current: string }) => {
      const optionsJSON = await call('beginPasskey', confirmed(current))
      const { startRegistration } = await webAuthn()
      const passkey = await startRegistration({ optionsJSON }).catch(passkeyProblem)
      return await call('finishPasskey', { name, passkey })
    },
    { refreshes: ['listPasskeys'] },
  )
}

/** @throws Problem: no password */
export function confirmed(current: string): { current_password: string } {
  if (current === '') throw new Problem('Enter your current password.')
  return { current_password: current }
}
