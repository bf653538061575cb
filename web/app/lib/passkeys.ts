import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from './api.ts'
import { Problem } from './failure.ts'
import { passkeyProblem, webAuthn } from './passkey-browser.ts'

const PASSKEYS = ['passkeys']

/** The passkeys of the person's own account. */
export function usePasskeys() {
  return useQuery({ queryKey: PASSKEYS, queryFn: () => call('GET', '/api/v1/auth/passkeys') })
}

export function useAddPasskey() {
  return useChange(async ({ name, current }: { name: string; current: string }) => {
    const optionsJSON = await call('POST', '/auth/passkeys/options', { body: confirmed(current) })
    const { startRegistration } = await webAuthn()
    const passkey = await startRegistration({ optionsJSON }).catch(passkeyProblem)
    return await call('POST', '/auth/passkeys', { body: { name, passkey } })
  })
}

export function useRenamePasskey() {
  return useChange(async ({ id, name }: { id: string; name: string }) =>
    call('PUT', '/api/v1/auth/passkeys/{passkey_id}', { params: { passkey_id: id }, body: { name } }),
  )
}

export function useRemovePasskey() {
  return useChange(async ({ id, current }: { id: string; current: string }) =>
    call('POST', '/api/v1/auth/passkeys/{passkey_id}/remove', {
      params: { passkey_id: id },
      body: confirmed(current),
    }),
  )
}

export function useChangeSecondFactor() {
  return useChange(async ({ afterPassword, current }: { afterPassword: boolean; current: string }) =>
    call('PUT', '/api/v1/auth/second-factor', {
      body: { after_password: afterPassword, ...confirmed(current) },
    }),
  )
}

/** @throws Problem: no password */
function confirmed(current: string): { current_password: string } {
  if (current === '') throw new Problem('Enter your current password.')
  return { current_password: current }
}

// Passwords go through these changes, so none of them is kept once it is done.
function useChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: PASSKEYS }),
  })
}
