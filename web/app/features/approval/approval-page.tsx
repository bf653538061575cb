import { useEffect } from 'react'
import { deferred } from '../../ui/deferred.tsx'
import { ThemeSwitch } from '../../ui/theme-switch.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { DecisionPage } from './decision-page.tsx'
import { Approved, Ended, SecondPerson } from './outcome.tsx'
import { useRequest } from './use-request.ts'
import { type LoopbackPlace, returnSecret } from './way-back.ts'

// What follows a decision comes while the person reads what is asked.
const loadHeld = () => import('./held.tsx')
const Held = deferred('Held', loadHeld)

type ApprovalPageProps = { requestId: string; wayBack: LoopbackPlace | null }

/** The page behind the link that a terminal shows. */
export function ApprovalPage(props: ApprovalPageProps) {
  const request = useRequest(props.requestId)
  return (
    <div className="flex min-h-dvh flex-col bg-surface sm:bg-canvas">
      {request.state.phase === 'open' && (
        <a
          href="#decision"
          className="sr-only rounded-md bg-surface px-3 py-2 focus:not-sr-only focus:absolute focus:z-50"
        >
          Skip to the decision
        </a>
      )}
      <header className="flex h-13 shrink-0 items-center justify-between px-4 sm:h-14 sm:px-6">
        <a href="/" className="inline-flex rounded-sm">
          <Wordmark />
        </a>
        <ThemeSwitch />
      </header>
      <main className="flex flex-1 flex-col sm:block">
        <Request {...props} {...request} />
      </main>
    </div>
  )
}

type RequestProps = ApprovalPageProps & ReturnType<typeof useRequest>

function Request({ requestId, wayBack, state, reload, end, approved, recoded }: RequestProps) {
  const isOpen = state.phase === 'open'
  useEffect(() => {
    // If the server is gone now, the page loads it when it needs it.
    if (isOpen) loadHeld().catch(() => undefined)
  }, [isOpen])
  if (state.phase === 'loading') return <p className="px-4 text-ink-soft sm:px-6">Loading the request…</p>
  if (state.phase === 'ended') return <Ended end={state.end} onRetry={reload} />
  if (state.phase === 'second') return <SecondPerson choice={state.choice} />
  if (state.phase !== 'open') {
    return state.phase === 'approved' ? (
      <Approved choice={state.choice} delivered={state.delivered} />
    ) : (
      <Held requestId={requestId} request={state} onCode={recoded} onEnd={end} />
    )
  }
  return (
    <DecisionPage
      requestId={requestId}
      request={state}
      openedByLink={new URLSearchParams(location.search).get('from') === 'link'}
      wayBack={wayBack}
      onApproved={(choice, answer) => {
        approved(state.context, choice, answer)
        if (answer.release?.by === 'loopback' && wayBack !== null)
          returnSecret(wayBack, answer.release.secret)
      }}
      onEnd={end}
    />
  )
}
