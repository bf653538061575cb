import { useQuery } from '@tanstack/react-query'
import { callWebLayer, fieldsOf, textOf } from './web-layer.ts'

export const SESSION = ['session']

type Session = { authMode: string; signedIn: boolean; setUpRequired: boolean }

async function fetchSession(): Promise<Session> {
  const answer = fieldsOf(await callWebLayer('GET', '/session'))
  return {
    authMode: textOf(answer['auth_mode']),
    signedIn: answer['signed_in'] === true,
    setUpRequired: answer['setup_required'] === true,
  }
}

/** Whether somebody is signed in here, and how people sign in. */
export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: fetchSession, staleTime: 60_000 })
}
