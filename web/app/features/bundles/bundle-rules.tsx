import type { Production } from '@keyferry/contract/production'
import { useState } from 'react'
import type { BundlePolicy, PolicyChange } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import { counted } from '../../lib/words/counted.ts'
import { EntryLink } from '../../ui/entry-name.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PolicyRules } from '../../ui/policy/policy-rules.tsx'
import { Section } from '../../ui/section.tsx'
import { SelectField } from '../../ui/select.tsx'
import type { Mutation } from '../../ui/use-ending.ts'

/** A bundle's rules for approvals; an owner changes them. */
export function BundleRules({ bundleId }: { bundleId: string }) {
  const policy = useAnswer('getBundlePolicy', { bundle_id: bundleId })
  return (
    <Section title="Rules for approvals" headingClass="mb-1">
      <p className="mb-4 max-w-read text-sm text-ink-soft">
        What an approval of this bundle takes, and who may change its values. Of the server, the workspace and
        the bundle, the strictest rule counts.
      </p>
      <Loaded query={policy} what="the rules">
        {(data) => <Rules bundleId={bundleId} policy={data} />}
      </Loaded>
    </Section>
  )
}

const SAME_COMPUTER = {
  text: 'This bundle is for production. If people need its values only on their own computers, let approvals return only to the same computer. Then an attacker gains nothing from a link or a code.',
  action: 'Same computer only',
  change: { assurance: 'local' },
} as const

function Rules({ bundleId, policy }: { bundleId: string; policy: BundlePolicy }) {
  const save = useChange('changeBundlePolicy', { bundle_id: bundleId })
  const { effective, bundle, is_production, also } = policy
  const advice = is_production && effective.assurance !== 'local' ? SAME_COMPUTER : null
  return (
    <>
      {useMay()('changeBundlePolicy') && <ProductionChoice policy={policy} save={save} />}
      <PolicyRules
        placeId={bundleId}
        operation="changeBundlePolicy"
        {...{ own: bundle, effective, advice, save }}
        inherits="As the workspace says"
      >
        {also.length > 0 && <AlsoStricter bundleId={bundleId} also={also} />}
      </PolicyRules>
    </>
  )
}

const PRODUCTION: Readonly<Record<Production, string>> = {
  by_name: 'As its name and tags say',
  yes: 'Yes',
  no: 'No',
}

const LIKE_RULES = ' Only owners duplicate this bundle, or take secrets out of it that other bundles share.'

type ProductionChoiceProps = { policy: BundlePolicy; save: Mutation<PolicyChange, unknown> }

/** Whether a bundle is for production. A choice is saved at once. */
function ProductionChoice({ policy: { production, is_production }, save }: ProductionChoiceProps) {
  const asRuled = production === 'yes' ? LIKE_RULES : ''
  const now = is_production
    ? `Now: yes. Pages mark it in red, and approvals are remembered only if a rule here allows it.${asRuled}`
    : 'Now: no.'
  return (
    <div className="mb-4 max-w-read">
      <SelectField
        label="For production"
        value={production}
        options={PRODUCTION}
        hint={now}
        onChange={(chosen) => save.mutate({ production: chosen, expected: { production } })}
      />
    </div>
  )
}

/** The other bundles in which the rules of a bundle count too, and how to exempt their values. */
function AlsoStricter({ bundleId, also }: { bundleId: string; also: BundlePolicy['also'] }) {
  return (
    <Notice tone="plain">
      <p>
        What you set here also applies to secret values that other bundles share. To exempt a bundle, give it
        its own value of a key. A key that is not secret is exempt too.
      </p>
      <ul aria-label="Bundles with the same values" className="mt-2 max-h-80 overflow-y-auto">
        {also.map(({ bundle, secrets }) => (
          <li key={bundle.id} className="border-t border-line py-1.5 first:border-0">
            <p>
              Also <EntryLink href={`/bundles/${bundle.id}`} name={bundle.name} />:{' '}
              {counted(secrets, 'secret value')}
            </p>
            <SharedSecrets bundleId={bundleId} other={bundle} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

type SharedSecretsProps = { bundleId: string; other: { id: string; name: string } }

/** Which secret keys two bundles share, each with a link to its page: loaded when a person opens it. */
function SharedSecrets(props: SharedSecretsProps) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="rounded-sm py-1 text-ink-soft">
        Show keys<span className="sr-only"> of {props.other.name}</span>
      </summary>
      {open && <SharedKeys {...props} />}
    </details>
  )
}

function SharedKeys({ bundleId, other }: SharedSecretsProps) {
  const own = useAnswer('getBundle', { bundle_id: bundleId })
  const shared = useAnswer('getBundle', { bundle_id: other.id })
  const here = new Set(own.data?.items.map(({ id }) => id))
  return (
    <Loaded query={shared} what="the keys">
      {({ items }) => (
        <ul className="flex flex-wrap gap-x-4 gap-y-1 py-1">
          {items
            .filter(({ id, is_secret }) => is_secret && id !== null && here.has(id))
            .map(({ id, name }) => (
              <li key={name}>
                <EntryLink href={`/keys/${id}?bundle=${other.id}`} name={name} />
              </li>
            ))}
        </ul>
      )}
    </Loaded>
  )
}
