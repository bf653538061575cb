import type { TenantPolicy } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PolicyRules } from '../../ui/policy/policy-rules.tsx'

/** The workspace's rules for approvals; an owner changes them. */
export function WorkspaceRules() {
  const policy = useAnswer('getTenantPolicy', {})
  return (
    <section aria-labelledby="rules" className="mb-8">
      <h2 id="rules" className="mb-1 text-lg font-semibold">
        Rules for approvals
      </h2>
      <p className="mb-4 max-w-xl text-ink-soft">They hold for every bundle. A bundle can be stricter.</p>
      <Loaded query={policy} what="the rules">
        {(data) => <Rules policy={data} />}
      </Loaded>
    </section>
  )
}

const USE_BOUND = {
  text: 'One careless click on a link is enough to give values to an attacker. Let approvals return to the terminal that asked: then a click alone gives nothing.',
  action: 'Return approvals to the terminal',
  change: { assurance: 'bound' },
} as const

function Rules({ policy: { effective, workspace, advice } }: { policy: TenantPolicy }) {
  const save = useChange('changeTenantPolicy', {})
  const shown = advice.includes('use_bound') ? USE_BOUND : null
  return (
    <PolicyRules
      {...{ own: workspace, effective, advice: shown, save }}
      inherits="No rule of the workspace"
    />
  )
}
