import { counted } from '../../../lib/words/counted.ts'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { ReasonBand } from '../request/reason-band.tsx'
import { MaskedArguments, RequestedCommand } from '../request/requested-command.tsx'
import { type Companion, companionReasons, type ReturnWay, whyOwnPage } from './companion.ts'
import type { useCompanions } from './use-companions.ts'

type CompanionListProps = { way: ReturnWay; together: ReturnType<typeof useCompanions> }

/** The other commands of the same start, each with its whole command, its bundle and its check code. */
export function CompanionList({ way, together }: CompanionListProps) {
  const { companions } = together
  if (companions.length === 0) return null
  return (
    <section aria-labelledby="together" className="rounded-md border border-line bg-surface">
      <div className="px-4 pt-3 sm:px-5">
        <h2 id="together" className="text-sm font-semibold">
          Started together
        </h2>
        <p className="text-sm text-ink-soft">
          The same terminal made {companions.length === 1 ? 'this request' : 'these requests'} in the same
          folder within seconds. Each selected one is approved separately.
        </p>
      </div>
      <ul className="mt-2 divide-y divide-line">
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
      <ReasonBand {...companionReasons(companion)} />
      <About companion={companion} showsCode={way === 'none'} />
    </>
  )
  if (why !== null) {
    return (
      <div className="px-4 py-3 sm:px-5 sm:pl-13">
        {about}
        <p className="mt-0.5 text-sm text-ink-soft">
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
      className="flex items-start gap-3 px-4 py-3 hover:bg-sunken/60 sm:px-5"
      boxClass="mt-2"
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
      <p className="mt-1 overflow-clip font-semibold">
        <RequestedCommand context={context} />
      </p>
      <MaskedArguments context={context} />
      <span className="block text-sm text-ink-soft">
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
