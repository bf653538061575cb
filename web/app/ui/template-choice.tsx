import { useAnswer } from '../lib/calls/use-call.ts'
import { missingIn } from '../lib/rules/templates.ts'
import { EntryName } from './entry-name.tsx'
import { HintedCheckbox } from './hinted-checkbox.tsx'
import { Check, TriangleAlert } from './icons.ts'

const MOST_BUNDLES = 8

type TemplateChoiceProps = {
  checked: boolean
  onChange: (checked: boolean) => void
  /** The names in the text. */
  parts: readonly string[]
  /** Bundles that use the template, or will. */
  bundles: readonly { id: string; name: string }[]
}

/** Whether each bundle composes a key's value of others. If so, the names that it is built from, and those that each
 * bundle lacks. Names only, no values. */
export function TemplateChoice({ checked, onChange, parts, bundles }: TemplateChoiceProps) {
  const more = bundles.length - MOST_BUNDLES
  return (
    <>
      <HintedCheckbox
        label="Composed of other values"
        hint={
          checked ? (
            <>
              <Code>{'${NAME}'}</Code> is what the bundle delivers as NAME, <Code>{'${NAME|uri}'}</Code> the
              same for use in a URL, and <Code>{'$${'}</Code> the text <Code>{'${'}</Code>.
            </>
          ) : (
            'Unless you check this box, it is delivered exactly as written.'
          )
        }
        checked={checked}
        onChange={onChange}
      />
      {checked && (
        <section aria-label="Parts">
          <p>
            {parts.length === 0 ? 'The text names no other value yet.' : <>Built from {parts.join(', ')}</>}
          </p>
          <ul aria-live="polite">
            {bundles.slice(0, MOST_BUNDLES).map((bundle) => (
              <BundleParts key={bundle.id} bundle={bundle} parts={parts} />
            ))}
          </ul>
          {more > 0 && <p className="text-ink-soft">and {more} more bundles</p>}
        </section>
      )}
    </>
  )
}

type BundlePartsProps = { bundle: { id: string; name: string }; parts: readonly string[] }

function BundleParts({ bundle: { id, name }, parts }: BundlePartsProps) {
  const items = useAnswer('getBundle', { bundle_id: id }).data?.items
  if (items === undefined) return null
  const missing = missingIn(items, parts)
  const [Icon, tone] = missing.length === 0 ? [Check, 'text-good'] : [TriangleAlert, 'text-caution']
  return (
    <li className="mt-1 flex items-start gap-2">
      <Icon aria-hidden size={14} className={`mt-0.5 shrink-0 ${tone}`} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <EntryName name={name} className="font-mono" />{' '}
        {missing.length === 0 ? 'has all of them' : `lacks ${missing.join(', ')}`}
      </span>
    </li>
  )
}

function Code({ children }: { children: string }) {
  return (
    <code translate="no" className="font-mono text-ink">
      {children}
    </code>
  )
}
