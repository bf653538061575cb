import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { listed } from '../../lib/words/counted.ts'
import { elsewhereText } from '../../lib/words/last-change.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Pencil } from '../../ui/icons.ts'

const MOST_PARTS = 8

/** A key's value as far as the person may see it, whose it is, and the way to replace it. */
export function ValuePanel({ item, hrefOf }: { item: KeyWithBundles; hrefOf: (part: string) => string }) {
  const { value_set_at, value_changed_elsewhere_at: elsewhere, description, template_parts } = item
  const times = [value_set_at, ...(elsewhere === null ? [] : [elsewhere])]
  return (
    <section
      aria-label="Value"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-surface px-4 py-3 shadow-card sm:px-6"
    >
      <div className="min-w-0 flex-[1_1_24rem]">
        <Value item={item} />
        <p className="text-xs text-ink-soft">
          <span title={times.map(dateTime).join('; ')}>{originText(item)}</span> {description}
        </p>
        {item.is_template && (
          <p className="text-xs text-ink-soft">
            Composed of{' '}
            <span translate="no" className="font-mono">
              {listed(template_parts, MOST_PARTS) || 'no other value, so it is delivered as it is'}
            </span>
          </p>
        )}
      </div>
      {item.may_change ? (
        <div className="max-sm:w-full max-sm:*:w-full">
          <ButtonLink href={hrefOf('/change')} label="Change" icon={Pencil} look="primary" />
        </div>
      ) : (
        <p className="max-w-96 text-xs text-ink-soft">
          Owners can change this value, and so can members whom the rules allow. By default, that is the
          member who set its value; a promoted value is for owners.
        </p>
      )}
    </section>
  )
}

function Value({ item: { value, is_secret } }: { item: KeyWithBundles }) {
  if (is_secret) {
    return (
      <p className="text-xs tracking-widest text-ink-soft">
        <span aria-hidden>{'●'.repeat(12)}</span>
        <span className="sr-only">Secret value</span>
      </p>
    )
  }
  return (
    <div className="flex items-start gap-1">
      <pre translate="no" className="max-h-60 min-w-0 overflow-auto font-mono text-sm whitespace-pre-wrap">
        {value === '' ? <span className="text-ink-faint">(empty)</span> : value}
      </pre>
      <CopyButton text={value} what="the value" className="-my-1" />
    </div>
  )
}

function originText({ version, value_set_at, value_set_by, value_changed_elsewhere_at }: KeyWithBundles) {
  const by = `by ${value_set_by.name ?? 'a former user'} ${ago(value_set_at)}`
  if (value_changed_elsewhere_at === null) return `v${version}, set ${by}.`
  return `v${version}, moved here ${by}; ${elsewhereText(value_changed_elsewhere_at)}.`
}
