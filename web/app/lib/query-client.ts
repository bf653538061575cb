import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure } from './failure.ts'

const PUBLIC_PATHS = ['/', '/sign-in', '/sign-up', '/set-up']

/** The app's store of answers. A session that ended leads to sign-in, and back to where the person was. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < 2 && isPassing(error) },
      mutations: { retry: false },
    },
  })
}

function onError(error: unknown): void {
  if (describeFailure(error).status === 401) leaveForSignIn()
}

function isPassing(error: unknown): boolean {
  const { status } = describeFailure(error)
  return status === null || status >= 502
}

function leaveForSignIn(): void {
  if (PUBLIC_PATHS.includes(location.pathname)) return
  location.assign(`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`)
}
