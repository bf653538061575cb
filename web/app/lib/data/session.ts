import { useAnswer } from '../calls/use-answer.ts'

/** The current session: who is signed in, if anyone, and how people sign in. */
export const useSession = () => useAnswer('getSession', {}, { staleTime: 60_000 })
