import { isProduction } from '@keyferry/contract/production'
import type { ImportPlan } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { counted } from '../../lib/words/counted.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { hasWork } from './decisions.ts'
import type { Planning } from './use-plan.ts'

type ImportSubmitProps = {
  bundleName: string
  planning: Planning
  /** How many lines of the text cannot be read. */
  unreadable: number
  /** How many entries the import would add. */
  count: number
  /** Shows what is wrong with the bundle's name. @returns whether it is good */
  onName: () => boolean
  onDone: (result: ImportPlan) => void
}

/** The button that carries out the plan that is shown, and exactly that one. */
export function ImportSubmit({ bundleName, planning, unreadable, count, onName, onDone }: ImportSubmitProps) {
  const carryOut = useChange('importVariables', {})
  const { plan, request, isPending, again } = planning
  const steps = plan?.plan ?? []
  const bundles = useAnswer('listBundles', {}).data ?? []
  const isRed = (name: string) =>
    isProduction(bundles.find((bundle) => bundle.name === name) ?? { name, tags: '', production: 'by_name' })
  const replaced = steps.filter(({ action }) => action === 'replace')
  const writesProduction =
    isRed(bundleName) ||
    replaced.some((step) => step.shared_total > step.shared_with.length || step.shared_with.some(isRed))
  const hasChanged = describeFailure(carryOut.error).code === 'plan_changed'
  const submit = () => {
    if (!onName() || plan === null || request === null || isPending) return
    carryOut.mutate(
      { ...request, plan_id: plan.plan_id },
      {
        onSuccess: onDone,
        onError: (error) => describeFailure(error).code === 'plan_changed' && again(),
      },
    )
  }
  return (
    <>
      {hasChanged ? (
        <Notice tone="caution" role="alert">
          Something changed while you looked at the preview, so nothing was imported. The preview shows the
          new plan: read it, then import again.
        </Notice>
      ) : (
        <FailureNotice error={carryOut.error} act="import this" />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <ActButton
          type="button"
          label={submitLabel(count, carryOut.isPending)}
          isProduction={writesProduction}
          size="large"
          busy={carryOut.isPending}
          disabled={
            count === 0 || isPending || (plan !== null && !hasWork(steps)) || planning.failure !== null
          }
          onClick={submit}
        />
        {plan !== null && !isPending && !hasWork(steps) && (
          <p className="text-sm text-ink-soft">The bundle has all of this already.</p>
        )}
        {unreadable > 0 && count > 0 && (
          <p className="text-sm text-caution">
            {counted(unreadable, 'line')} cannot be read and will be left out.
          </p>
        )}
      </div>
    </>
  )
}

function submitLabel(count: number, isBusy: boolean): string {
  if (isBusy) return 'Importing…'
  return count === 0 ? 'Import' : `Import ${counted(count, 'variable')}`
}
