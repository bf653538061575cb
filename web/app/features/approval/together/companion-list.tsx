import { visibleText } from '../../../lib/words/visible-text.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { ReasonBand } from '../request/reason-band.tsx'
import { MaskedArguments, RequestedCommand } from '../request/requested-command.tsx'
import { type Companion, companionReasons, type Way, whyOwnPage } from './companion.ts'
import type { useCompanions } from './use-companions.ts'

/** The other commands of the same start, each with its whole command, its bundle and its check code. */
export function CompanionList({ way, together }: { way: Way; together: ReturnType<typeof useCompanions> }) {
  const { companions, isSelected, toggle } = together
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
            <Row
              companion={companion}
              why={whyOwnPage(companion, way)}
              isSelected={isSelected(companion)}
              onToggle={(on) => toggle(companion.requestId, on)}
              showsCode={way === 'none'}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

type RowProps = {
  companion: Companion
  /** Why it needs its own page. */
  why: string | null
  isSelected: boolean
  onToggle: (on: boolean) => void
  showsCode: boolean
}

function Row({ companion, why, isSelected, onToggle, showsCode }: RowProps) {
  const { context, bundle, keys, requestId } = companion
  const about = (
    <>
      <ReasonBand {...companionReasons(companion)} />
      <About {...{ context, bundle, keys, showsCode }} />
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
      checked={isSelected}
      onChange={onToggle}
    >
      <span className="min-w-0 flex-1">{about}</span>
    </Checkbox>
  )
}

type AboutProps = Pick<Companion, 'context' | 'bundle' | 'keys'> & { showsCode: boolean }

function About({ context, bundle, keys, showsCode }: AboutProps) {
  const name = bundle?.name ?? visibleText(context.suggested_bundle_id ?? '')
  return (
    <>
      <p className="mt-1 overflow-clip font-semibold">
        <RequestedCommand context={context} />
      </p>
      <MaskedArguments context={context} />
      <span className="block text-sm text-ink-soft">
        {bundle !== null && `${keys.length} ${keys.length === 1 ? 'key' : 'keys'} of `}
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
