import type { Me } from '../calls/answers.ts'
import { call } from '../calls/call.ts'
import { useAnswer, useSteps } from '../calls/use-call.ts'
import { passkeyProblem, webAuthn } from './passkey-browser.ts'

/** The keys that sign approvals in this workspace: the own ones; for an owner, those of everyone. */
export const useApprovalKeys = () => useAnswer('listApprovalKeys', {})

/** Signed changes that wait for another owner or for a day. For owners. */
export const useLastingActs = () => useAnswer('listLastingActs', {})

// EdDSA, ES256 and RS256, as the server accepts them.
const ALGORITHMS = [-8, -7, -257]

/** Let the browser make a signing key, and add it. It waits for its confirmation. */
export function useAddApprovalKey({ username, tenant }: Pick<Me, 'username' | 'tenant'>) {
  return useSteps(
    async ({ name }: { name: string }) => {
      const { token, challenge, rp_id, user_handle, exclude } = await call('prepareApprovalKey', {})
      // The only words that the browser shows and that are not the page's.
      const shown = `Approvals · ${username} · ${tenant.name}`
      const { startRegistration } = await webAuthn()
      const { id, rawId, type, response } = await startRegistration({
        optionsJSON: {
          challenge,
          rp: { id: rp_id, name: 'Keyferry' },
          user: { id: user_handle, name: shown, displayName: shown },
          pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
          excludeCredentials: exclude.map((known) => ({ type: 'public-key', id: known })),
          authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
          attestation: 'none',
        },
      }).catch(passkeyProblem)
      const passkey = { id, rawId, type, response }
      return await call('addApprovalKey', { token, name, passkey, transports: response.transports })
    },
    { refreshes: ['listApprovalKeys'] },
  )
}
