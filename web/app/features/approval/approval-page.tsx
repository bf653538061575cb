import { ThemeSwitch } from '../../ui/theme-switch.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { Approved } from './approved.tsx'
import { DepositForm } from './deposit/deposit-form.tsx'
import { Stored } from './deposit/stored.tsx'
import { Held } from './held.tsx'
import { Listed } from './names/listed.tsx'
import { NamesForm } from './names/names-form.tsx'
import { Ended } from './outcome.tsx'
import { RequestForm } from './request-form.tsx'
import { SecondPerson } from './second-person.tsx'
import { CompanionOutcomes } from './together/companion-outcomes.tsx'
import { keepTogether } from './together/kept-together.ts'
import { useRequest } from './use-request.ts'
import { returnSecret, type WayBack } from './way-back.ts'

type ApprovalPageProps = { requestId: string; wayBack: WayBack | null }

/** The page behind the link that a terminal shows. */
export function ApprovalPage(props: ApprovalPageProps) {
  return (
    <div className="mx-auto flex min-h-dvh max-w-5xl flex-col px-4 sm:px-6">
      <header className="flex items-center justify-between py-3">
        <a href="/" className="inline-flex rounded-sm">
          <Wordmark />
        </a>
        <ThemeSwitch />
      </header>
      <main className="flex-1 pt-2 sm:pt-4">
        <Request {...props} />
      </main>
    </div>
  )
}

const FORMS = { delivery: RequestForm, deposit: DepositForm, names: NamesForm } as const

function Request({ requestId, wayBack }: ApprovalPageProps) {
  const { state, reload, end, approved, recoded } = useRequest(requestId)
  if (state.phase === 'loading') return <p className="text-ink-soft">Loading the request…</p>
  if (state.phase === 'ended') return <Ended end={state.end} onRetry={reload} />
  if (state.phase === 'approved' && state.choice.kind === 'deposit')
    return <Stored choice={state.choice} isTold={state.delivered} />
  if (state.phase === 'approved' && state.choice.kind === 'names')
    return <Listed choice={state.choice} delivered={state.delivered} />
  if (state.phase === 'approved') {
    return (
      <>
        <Approved choice={state.choice} delivered={state.delivered} />
        <CompanionOutcomes requestId={requestId} />
      </>
    )
  }
  if (state.phase === 'second')
    return <SecondPerson count={state.choice.keys.length} bundle={state.choice.bundle.name} />
  if (state.phase === 'held') {
    return (
      <>
        <Held requestId={requestId} request={state} onCode={recoded} onEnd={end} />
        <CompanionOutcomes requestId={requestId} />
      </>
    )
  }
  const { context } = state
  const Form = FORMS[context.kind ?? 'delivery']
  return (
    <Form
      requestId={requestId}
      request={state}
      openedByLink={new URLSearchParams(location.search).get('from') === 'link'}
      wayBack={wayBack}
      onApproved={(choice, answer, others) => {
        keepTogether(requestId, others)
        approved(context, choice, answer)
        const toPassOn = others.flatMap(({ requestId: id, secret }) =>
          secret === null ? [] : [{ requestId: id, secret }],
        )
        if (answer.release?.by === 'loopback' && wayBack !== null)
          returnSecret(wayBack, answer.release.secret, toPassOn)
      }}
      onEnd={end}
    />
  )
}
