import { counted } from '../../../lib/words/counted.ts'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { ReasonFacts } from '../request/reason-facts.tsx'
import { MaskedArguments, RequestedCommand } from '../request/requested-command.tsx'
import { type Companion, companionReasons, type ReturnWay, whyOwnPage } from './companion.ts'
import type { useCompanions } from './use-companions.ts'

type CompanionListProps = { way: ReturnWay; together: ReturnType<typeof useCompanions> }

/** The other commands of the same start, each with its whole command, its bundle and its check code. */
export function CompanionList({ way, together }: CompanionListProps) {
  const { companions } = together
  return (
    <section aria-labelledby="together" className="pt-3">
      <h2 id="together" className="text-xs font-medium text-ink-soft">
        Started together
      </h2>
      <p className="text-xs text-ink-faint">
        The same terminal made {companions.length === 1 ? 'this request' : 'these requests'} in the same
        folder within seconds. Each selected one is approved separately.
      </p>
      <ul className="mt-2 divide-y divide-line rounded-md border border-line">
        {companions.map((companion) => (
          <li key={companion.requestId}>
            <Row {...{ companion, way, together }} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Row({ companion, way, together }: CompanionListProps & { companion: Companion }) {
  const { requestId } = companion
  const why = whyOwnPage(companion, way)
  const about = (
    <>
      <About companion={companion} showsCode={way === 'none'} />
      <ReasonFacts {...companionReasons(companion)} />
    </>
  )
  if (why !== null) {
    return (
      <div className="px-4 py-2.5 pl-11">
        {about}
        <p className="text-xs text-ink-soft">
          {why}{' '}
          <a href={`/approve/${requestId}`} className="link">
            Open its page
          </a>
        </p>
      </div>
    )
  }
  return (
    <Checkbox
      className="flex items-start gap-3 px-4 py-2.5 hover:bg-sunken/60"
      boxClass="mt-0.5"
      checked={together.isSelected(companion)}
      onChange={(on) => together.toggle(requestId, on)}
    >
      <span className="min-w-0 flex-1">{about}</span>
    </Checkbox>
  )
}

function About({ companion, showsCode }: { companion: Companion; showsCode: boolean }) {
  const { context, bundle, keys } = companion
  const name = bundle?.name ?? visibleText(context.suggested_bundle_id ?? '')
  return (
    <>
      <p className="overflow-clip font-medium">
        <RequestedCommand context={context} />
      </p>
      <MaskedArguments context={context} />
      <span className="block text-xs text-ink-soft">
        {bundle?.is_production === true && <strong className="font-medium text-danger">PRODUCTION </strong>}
        {bundle !== null && `${counted(keys.length, 'key')} of `}
        <bdi className="font-mono text-ink [overflow-wrap:anywhere]">{name || 'no bundle named'}</bdi>
        {showsCode && (
          <>
            {' '}
            · check code <span className="font-mono whitespace-nowrap text-ink">{context.user_code}</span>
          </>
        )}
      </span>
    </>
  )
}
