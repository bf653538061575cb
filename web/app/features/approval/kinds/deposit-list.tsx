import type { DepositPlan, DepositStep, ImportChoice, RequestContext } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Plus } from '../../../ui/icons.ts'
import { StepRow } from '../../../ui/import-step/step-row.tsx'
import { Rows } from '../../../ui/section.tsx'
import { OpenFact } from '../card.tsx'
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

/** New secrets beyond so many rows are folded away: they change nothing that is there, and only owners read them. */
const MOST_ROWS = 3

const isPlain = ({ action, is_secret, choices }: DepositStep) =>
  action === 'create' && is_secret && choices.length === 0

function Plan({ plan, onChoose }: StepsProps) {
  const plain = plan.filter(isPlain)
  const folded = plain.slice(Math.max(0, MOST_ROWS - (plan.length - plain.length)))
  const rowOf = (step: DepositStep) => (
    <StepRow key={step.name} name={step.name} step={step} onChoose={onChoose} />
  )
  return (
    <>
      <Rows label="Variables" className="mb-2">
        {/* No other order: a row must not move when the person chooses what happens to it. */}
        {plan
          .filter((step) => !folded.includes(step))
          .toSorted((a, b) => Number(b.action === 'detach') - Number(a.action === 'detach'))
          .map(rowOf)}
      </Rows>
      {folded.length > 0 && (
        <OpenFact Icon={Plus} label="Show" sentence={counted(folded.length, 'more new secret')}>
          <ul aria-label="New secrets">{folded.map(rowOf)}</ul>
        </OpenFact>
      )}
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
    <Rows label="Variables" className="mb-2">
      {deposit.detach.map((name) => (
        <StepRow key={name} name={name} step={undefined} about="No longer delivered" />
      ))}
      {deposit.entries.map(({ name, is_secret }) => (
        <StepRow
          key={name}
          name={name}
          step={undefined}
          value={proposal.values[name]}
          about={is_secret === false ? 'Owners can read it' : undefined}
          mark={
            is_secret !== false && (
              <Checkbox
                className="flex items-center gap-2 text-sm"
                checked={readable.includes(name)}
                onChange={(isOn) => toggle(name, isOn)}
              >
                Not secret: owners can read it
              </Checkbox>
            )
          }
        />
      ))}
    </Rows>
  )
}
