import type { TenantPolicy } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PolicyFacts } from '../../ui/policy/policy-facts.tsx'
import { PolicyForm } from '../../ui/policy/policy-form.tsx'

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

function Rules({ policy: { effective, workspace, advice } }: { policy: TenantPolicy }) {
  const isOwner = useIsOwner()
  const save = useChange('changeTenantPolicy', {}, { refreshes: ['getTenantPolicy', 'getBundlePolicy'] })
  if (!isOwner) return <PolicyFacts effective={effective} />
  return (
    <>
      {advice.includes('use_bound') && (
        <Notice tone="caution" className="mb-4 max-w-xl">
          <p>
            One careless click on a link is enough to give values to an attacker. Let approvals return to the
            terminal that asked: then a click alone gives nothing.
          </p>
          <Button
            label="Return approvals to the terminal"
            size="small"
            className="mt-2"
            busy={save.isPending}
            onClick={() => save.mutate({ assurance: 'bound' })}
          />
        </Notice>
      )}
      <PolicyForm
        key={JSON.stringify(workspace)}
        own={workspace}
        effective={effective}
        inherits="No rule of the workspace"
        save={save}
      />
    </>
  )
}
