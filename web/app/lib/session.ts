import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'

const SESSION = ['session']

async function fetchSession() {
  const { auth_mode, signed_in, setup_required, passkey_origin } = await call('GET', '/session')
  return {
    authMode: auth_mode,
    signedIn: signed_in,
    setUpRequired: setup_required,
    passkeyOrigin: passkey_origin,
  }
}

/** The current session: who is signed in, if anyone, and how people sign in. */
export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: fetchSession, staleTime: 60_000 })
}
