import type { Production } from '@keyferry/contract/production'
import type { BundlePolicy, PolicyChange } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PolicyRules } from '../../ui/policy/policy-rules.tsx'
import { SelectField } from '../../ui/select.tsx'
import type { Change } from '../../ui/use-ending.ts'
import { AlsoStricter } from './also-stricter.tsx'

/** A bundle's rules for approvals; an owner changes them. */
export function BundleRules({ bundleId }: { bundleId: string }) {
  const policy = useAnswer('getBundlePolicy', { bundle_id: bundleId })
  return (
    <section aria-labelledby="rules">
      <h2 id="rules" className="mb-1 text-sm font-semibold">
        Rules for approvals
      </h2>
      <p className="mb-4 max-w-xl text-sm text-ink-soft">
        What an approval of this bundle takes, and who may change its values. Of the server, the workspace and
        the bundle, the strictest rule counts.
      </p>
      <Loaded query={policy} what="the rules">
        {(data) => <Rules bundleId={bundleId} policy={data} />}
      </Loaded>
    </section>
  )
}

const SAME_COMPUTER = {
  text: 'This bundle is for production. If its values are needed on people’s own computers only, let approvals return to the same computer only: then no link and no code helps an attacker.',
  action: 'Same computer only',
  change: { assurance: 'local' },
} as const

function Rules({ bundleId, policy }: { bundleId: string; policy: BundlePolicy }) {
  const save = useChange('changeBundlePolicy', { bundle_id: bundleId })
  const { effective, bundle, is_production, also } = policy
  const advice = is_production && effective.assurance !== 'local' ? SAME_COMPUTER : null
  return (
    <>
      {useIsOwner() && <ProductionChoice policy={policy} save={save} />}
      <PolicyRules {...{ own: bundle, effective, advice, save }} inherits="As the workspace says">
        {also.length > 0 && <AlsoStricter bundleId={bundleId} also={also} />}
      </PolicyRules>
    </>
  )
}

const PRODUCTION: readonly (readonly [Production, string])[] = [
  ['by_name', 'As its name and tags say'],
  ['yes', 'Yes'],
  ['no', 'No'],
]

const LIKE_RULES = ' Only owners duplicate this bundle, or take secrets out of it that other bundles share.'

type ProductionChoiceProps = { policy: BundlePolicy; save: Change<PolicyChange, unknown> }

/** Whether a bundle is for production. A choice is saved at once. */
function ProductionChoice({ policy: { production, is_production }, save }: ProductionChoiceProps) {
  const choose = (text: string) => {
    const chosen = PRODUCTION.find(([value]) => value === text)?.[0] ?? 'by_name'
    save.mutate({ production: chosen })
  }
  const asRuled = production === 'yes' ? LIKE_RULES : ''
  const now = is_production
    ? `Now: yes. Pages mark it in red, and approvals are remembered only if a rule here allows it.${asRuled}`
    : 'Now: no.'
  return (
    <div className="mb-4 max-w-xl">
      <SelectField
        label="For production"
        value={production}
        options={PRODUCTION}
        hint={now}
        onChange={choose}
      />
    </div>
  )
}
