import './tokens.css'
import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  type QueryKey,
} from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { describeFailure, isForeign, isPassing } from './lib/calls/failure.ts'
import { refreshAnswers } from './lib/calls/use-call.ts'
import { applyTheme, chosenTheme } from './lib/page/theme.ts'
import { watchLeaving } from './lib/page/unsaved.ts'
import { Routes } from './routes.tsx'

const PUBLIC_PATHS = ['/', '/sign-in', '/sign-up', '/set-up']

/** The app's store of answers. A session that ended leads to sign-in, and back to where the person was. */
function createQueryClient(): QueryClient {
  const onError = (error: unknown, query?: { queryKey?: QueryKey }) => {
    // Nobody asked for the number in the frame, so it takes nobody away from what they do.
    if (describeFailure(error).status === 401 && query?.queryKey?.[0] !== 'listWaiting') leaveForSignIn()
    // A member who was removed sees that on the next call, from any page.
    if (isForeign(error)) void refreshAnswers(client, ['listTenants'])
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError: (error) => onError(error) }),
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < 2 && isPassing(error) },
      mutations: { retry: false },
    },
  })
  return client
}

function leaveForSignIn(): void {
  if (PUBLIC_PATHS.includes(location.pathname)) return
  location.assign(`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`)
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
