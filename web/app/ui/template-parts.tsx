import { useAnswer } from '../lib/calls/use-call.ts'
import { missingIn } from '../lib/rules/templates.ts'
import { EntryName } from './entry-name.tsx'
import { Check, TriangleAlert } from './icons.ts'

const MOST_BUNDLES = 8

type TemplatePartsProps = {
  parts: readonly string[]
  /** Bundles that use the template, or will. */
  bundles: readonly { id: string; name: string }[]
}

/** The names that a template is built from, and for each bundle those that it lacks. Names only, no values. */
export function TemplateParts({ parts, bundles }: TemplatePartsProps) {
  if (parts.length === 0)
    return (
      <p className="text-sm text-ink-soft">The text names no other value yet, so it is delivered as it is.</p>
    )
  const more = bundles.length - MOST_BUNDLES
  return (
    <section aria-label="Parts" className="rounded-lg border border-line px-3 py-2 text-sm">
      <p>
        Built from <span className="font-mono [overflow-wrap:anywhere]">{parts.join(', ')}</span>
      </p>
      <ul aria-live="polite">
        {bundles.slice(0, MOST_BUNDLES).map((bundle) => (
          <BundleParts key={bundle.id} bundle={bundle} parts={parts} />
        ))}
      </ul>
      {more > 0 && <p className="text-xs text-ink-soft">and {more} more bundles</p>}
    </section>
  )
}

type BundlePartsProps = { bundle: { id: string; name: string }; parts: readonly string[] }

function BundleParts({ bundle: { id, name }, parts }: BundlePartsProps) {
  const items = useAnswer('getBundle', { bundle_id: id }).data?.items
  if (items === undefined) return null
  const missing = missingIn(items, parts)
  const Icon = missing.length === 0 ? Check : TriangleAlert
  return (
    <li className="mt-1 flex items-start gap-2 text-xs">
      <Icon
        aria-hidden
        size={14}
        className={missing.length === 0 ? 'mt-0.5 shrink-0 text-good' : 'mt-0.5 shrink-0 text-caution'}
      />
      <span className="min-w-0">
        <EntryName name={name} className="font-mono" />{' '}
        {missing.length === 0 ? (
          'has all of them'
        ) : (
          <>
            lacks <span className="font-mono [overflow-wrap:anywhere]">{missing.join(', ')}</span>
          </>
        )}
      </span>
    </li>
  )
}
