import { Link } from 'wouter'
import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { capital, counted } from '../../lib/words/counted.ts'
import { dueText } from '../../lib/words/due.ts'
import { ahead, shortDay } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { Section } from '../../ui/section.tsx'

type KeyFactsProps = { item: KeyWithBundles; hrefOf: (part: string) => string }

/** When a key's value ends, and where it is used. */
export function KeyFacts({ item, hrefOf }: KeyFactsProps) {
  return (
    <>
      <Section title="Expiry">
        <p className={classNames('mt-1', item.due === 'expired' && 'text-danger')}>
          {expiryText(item)}{' '}
          {item.may_change && (
            <Link href={hrefOf('/details')} className="link text-xs">
              Change
            </Link>
          )}
        </p>
        <p className="mt-1 text-xs text-ink-soft">A reminder: Keyferry still delivers the value.</p>
      </Section>
      <UsedIn item={item} />
    </>
  )
}

function expiryText(item: KeyWithBundles): string {
  const { expires_at, rotate_after_days: after, due } = item
  const rotation = after === null ? '' : `Replace after ${counted(after, 'day')}`
  const said = due === null ? null : dueText(item)
  const expiry = expires_at === null ? '' : `${shortDay(expires_at)}, ${said ?? ahead(expires_at)}`
  const parts = [expiry, expires_at === null && said !== null ? capital(said) : rotation]
  const texts = parts.filter((text) => text !== '')
  return texts.length === 0 ? 'The value does not expire.' : `${texts.join('. ')}.`
}

function UsedIn({ item: { bundles } }: { item: KeyWithBundles }) {
  const hasNames = bundles.some(({ as }) => as !== bundles[0]?.as)
  return (
    <Section title="Used in">
      {bundles.length === 0 ? (
        <p className="mt-1">No bundle has it, so no request can ask for it.</p>
      ) : (
        <ul aria-label="Used in" className="mt-1 max-h-72 space-y-1 overflow-auto">
          {bundles.map(({ id, name, as }) => (
            <li key={id}>
              <Link href={applicationHref(name)} className="hover:underline">
                <EnvChip name={name} isMention />
              </Link>{' '}
              {hasNames && (
                <span className="text-xs text-ink-soft">
                  as <EntryName name={as} className="font-mono" />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
