import './tokens.css'
import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  type QueryKey,
} from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { isUnasked } from './lib/calls/call.ts'
import { describeFailure, isForeign, isPassing } from './lib/calls/failure.ts'
import { isSessionLost } from './lib/calls/session-loss.ts'
import { refreshAnswers } from './lib/calls/use-call.ts'
import { applyTheme, chosenTheme } from './lib/page/theme.ts'
import { hasUnsaved, watchLeaving } from './lib/page/unsaved.ts'
import { Routes } from './routes.tsx'

const PUBLIC_PATHS = ['/', '/sign-in', '/sign-up', '/set-up']

/** The app's store of answers. A session that ended leads to sign-in, and back to where the person was; another person
 * sees their own page. Never while something is not saved (session-loss.ts). */
function createQueryClient(): QueryClient {
  const onError = (error: unknown, query?: { queryKey?: QueryKey }) => {
    if (isSessionLost(error) && !isUnasked(query?.queryKey?.[0])) leave(error)
    // A member who was removed sees that on the next call, from any page.
    if (isForeign(error)) void refreshAnswers(client, ['listTenants'])
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError: (error) => onError(error) }),
    defaultOptions: {
      // Offline, a call fails at once: the page says so, and keeps what was typed.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (count, error) => count < 2 && isPassing(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  return client
}

function leave(error: unknown): void {
  if (hasUnsaved() || PUBLIC_PATHS.includes(location.pathname)) return
  if (describeFailure(error).status !== 401) location.reload()
  else location.assign(`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`)
}

applyTheme(chosenTheme())
watchLeaving()
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={createQueryClient()}>
      <Routes />
    </QueryClientProvider>,
  )
}
