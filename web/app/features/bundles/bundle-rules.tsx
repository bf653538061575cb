import type { BundlePolicy } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PolicyFacts } from '../../ui/policy/policy-facts.tsx'
import { PolicyForm } from '../../ui/policy/policy-form.tsx'

/** A bundle's rules for approvals; an owner changes them. */
export function BundleRules({ bundleId }: { bundleId: string }) {
  const policy = useAnswer('getBundlePolicy', { bundle_id: bundleId })
  return (
    <section aria-labelledby="rules">
      <h2 id="rules" className="mb-1 text-sm font-semibold">
        Rules for approvals
      </h2>
      <p className="mb-4 max-w-xl text-sm text-ink-soft">
        What an approval of this bundle takes. Of the server, the workspace and the bundle, the strictest rule
        counts.
      </p>
      <Loaded query={policy} what="the rules">
        {(data) => <Rules bundleId={bundleId} policy={data} />}
      </Loaded>
    </section>
  )
}

function Rules({ bundleId, policy }: { bundleId: string; policy: BundlePolicy }) {
  const isOwner = useIsOwner()
  const save = useChange('changeBundlePolicy', { bundle_id: bundleId }, { refreshes: ['getBundlePolicy'] })
  const { effective, bundle, is_production } = policy
  if (!isOwner) return <PolicyFacts effective={effective} />
  return (
    <>
      {is_production && effective.assurance !== 'local' && (
        <Notice tone="caution" className="mb-4 max-w-xl">
          <p>
            This bundle is for production. If its values are needed on people’s own computers only, let
            approvals return to the same computer only: then no link and no code helps an attacker.
          </p>
          <Button
            label="Same computer only"
            size="small"
            className="mt-2"
            busy={save.isPending}
            onClick={() => save.mutate({ assurance: 'local' })}
          />
        </Notice>
      )}
      <PolicyForm
        key={JSON.stringify(bundle)}
        own={bundle}
        effective={effective}
        inherits="As the workspace says"
        save={save}
      />
    </>
  )
}
