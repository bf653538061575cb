import type { DepositPlan, DepositStep, ImportChoice, RequestContext } from '../../../lib/calls/answers.ts'
import { planText } from '../../../lib/words/import-steps.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { StepRow } from '../../../ui/import-step/step-row.tsx'
import { ValueChange } from '../../../ui/import-step/value-change.tsx'
import { Names } from '../shown-names.tsx'

type Choose = (name: string, choice: ImportChoice) => void

type DepositListProps = Pick<ProposedListProps, 'readable' | 'onReadable'> & {
  plan: DepositPlan
  deposit: ProposedListProps['deposit'] | null
  onChoose: Choose
}

/** What happens to each variable, or what would be proposed. */
export function DepositList({ plan, deposit, onChoose, ...chosen }: DepositListProps) {
  if (plan.proposal && deposit) return <ProposedList {...{ deposit, proposal: plan.proposal, ...chosen }} />
  return <Plans of={plan} onChoose={onChoose} />
}

/** The plan of each bundle. A choice goes by the name of a variable, so it is offered where there is one bundle. */
function Plans({ of: { also = [], ...first }, onChoose }: { of: DepositPlan; onChoose: Choose }) {
  if (also.length === 0) return <Plan plan={first.plan} onChoose={onChoose} />
  return [first, ...also].map(({ bundle, bundle_id, plan }) => (
    <section key={bundle} aria-label={bundle} className="pt-2">
      <h2 className="text-sm font-medium">
        <Names names={[bundle]} />
        {bundle_id === null && <span className="font-normal text-ink-soft"> · a new bundle</span>}
      </h2>
      <Plan plan={plan.map((step) => ({ ...step, choices: [] }))} onChoose={onChoose} />
    </section>
  ))
}

type StepsProps = { plan: readonly DepositStep[]; onChoose: Choose }

function Plan({ plan, onChoose }: StepsProps) {
  return (
    <>
      <p role="status" className="pb-1.5 text-xs text-ink-soft">
        {planText(plan)}
      </p>
      <ul aria-label="Variables" className="mb-2 divide-y divide-line rounded-md border border-line">
        {/* No other order: a row must not move when the person chooses what happens to it. */}
        {plan
          .toSorted((a, b) => Number(b.action === 'detach') - Number(a.action === 'detach'))
          .map((step) => (
            <StepRow key={step.name} name={step.name} step={step} onChoose={onChoose} />
          ))}
      </ul>
    </>
  )
}

type ProposedListProps = {
  deposit: NonNullable<RequestContext['deposit']>
  proposal: NonNullable<DepositPlan['proposal']>
  readable: readonly string[]
  onReadable: (names: string[]) => void
}

/** What would be proposed. No one sees a secret value; the person can let the owners read one. */
function ProposedList({ deposit, proposal, readable, onReadable }: ProposedListProps) {
  const toggle = (name: string, isOn: boolean) =>
    onReadable(isOn ? [...readable, name] : readable.filter((each) => each !== name))
  return (
    <ul aria-label="Variables" className="mb-2 divide-y divide-line rounded-md border border-line">
      {deposit.detach.map((name) => (
        <li key={name} className="px-3 py-2.5">
          <p className="font-mono text-sm font-medium break-all">{name}</p>
          <p className="text-xs text-ink-soft">No longer delivered</p>
        </li>
      ))}
      {deposit.entries.map(({ name, is_secret }) => (
        <li key={name} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-3 py-2.5">
          <div className="min-w-0 flex-1 basis-44">
            <p className="font-mono text-sm font-medium break-all">{name}</p>
            <ValueChange before={undefined} after={proposal.values[name]} />
          </div>
          {is_secret === false ? (
            <p className="text-xs text-ink-soft">Owners can read it</p>
          ) : (
            <Checkbox
              className="flex items-center gap-2 text-sm"
              checked={readable.includes(name)}
              onChange={(isOn) => toggle(name, isOn)}
            >
              Not secret: owners can read it
            </Checkbox>
          )}
        </li>
      ))}
    </ul>
  )
}
