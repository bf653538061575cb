import { ThemeSwitch } from '../../ui/theme-switch.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { Approved } from './approved.tsx'
import { Ended } from './outcome.tsx'
import { RequestForm } from './request-form.tsx'
import { useRequest } from './use-request.ts'

/** The page behind the link that a terminal shows. */
export function ApprovalPage({ requestId }: { requestId: string }) {
  return (
    <div className="mx-auto flex min-h-dvh max-w-5xl flex-col px-4 sm:px-6">
      <header className="flex items-center justify-between py-3">
        <a href="/" className="inline-flex rounded-sm">
          <Wordmark />
        </a>
        <ThemeSwitch />
      </header>
      <main className="flex-1 pt-2 sm:pt-4">
        <Request requestId={requestId} />
      </main>
    </div>
  )
}

function Request({ requestId }: { requestId: string }) {
  const { state, reload, end, approved } = useRequest(requestId)
  if (state.phase === 'loading') return <p className="text-ink-soft">Loading the request…</p>
  if (state.phase === 'ended') return <Ended end={state.end} onRetry={reload} />
  if (state.phase === 'approved') return <Approved choice={state.choice} delivered={state.delivered} />
  return (
    <RequestForm
      requestId={requestId}
      request={state}
      openedByLink={new URLSearchParams(location.search).get('from') === 'link'}
      onApproved={(choice) => approved(state.context, choice)}
      onEnd={end}
    />
  )
}
