import type { RequestContext } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'
import { exactText } from '../../lib/words/visible-text.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Repeat2 } from '../../ui/icons.ts'
import { Fact } from './card.tsx'
import type { Demands, ReturnPlan } from './return-plan.ts'

const OFFERED = [1, 8]

/** For how many hours the approver may let the terminal repeat the approval; empty: not at all. */
export function offeredHours(rules: Demands | null, plan: ReturnPlan): number[] {
  const most = rules?.remember_hours ?? 0
  if (most === 0 || plan.by === 'refused' || plan.by === 'later') return []
  if (rules?.remember_needs_loopback !== false && plan.by !== 'loopback') return []
  const offered = OFFERED.filter((hours) => hours <= most)
  return most < 8 && most > 1 ? [...offered, most] : offered
}

/** The folder in all working trees for which the approval can be remembered; null: it cannot. */
export function repositoryOf(context: RequestContext, rules: Demands | null): string | null {
  return rules?.remember_repository === true ? (context.repository ?? null) : null
}

type RememberChoiceProps = {
  offered: readonly number[]
  hours: number
  /** Whether the terminal says that an AI agent runs it. */
  isAgent: boolean
  onHours: (hours: number) => void
  /** The folder in the main working tree; null: it is valid in this folder only. */
  repository: string | null
  isForAll: boolean
  onForAll: (isForAll: boolean) => void
}

/** For how many hours this terminal can repeat the command without a new approval. */
export function RememberChoice({ offered, hours, isAgent, onHours, ...where }: RememberChoiceProps) {
  if (offered.length === 0) return null
  return (
    <Fact Icon={Repeat2}>
      <fieldset className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
        <legend className="float-left">Remember this approval on this terminal:</legend>
        <span className="flex flex-wrap gap-1">
          {[0, ...offered].map((each) => (
            <label
              key={each}
              className="relative inline-flex h-7 items-center rounded-sm border border-edge px-2 text-xs has-checked:border-accent has-checked:bg-accent-soft has-checked:font-medium has-focus-visible:outline-2"
            >
              <input
                type="radio"
                name="remember"
                className="absolute inset-0 opacity-0"
                checked={hours === each}
                onChange={() => onHours(each)}
              />
              {each === 0 ? 'no' : counted(each, 'hour')}
            </label>
          ))}
        </span>
      </fieldset>
      {hours > 0 && <WhereChoice {...where} />}
      {isAgent && (
        <p className="mt-1 text-sm font-medium text-danger">
          An agent can change the program’s files and read the values without asking again.
        </p>
      )}
    </Fact>
  )
}

function WhereChoice({
  repository,
  isForAll,
  onForAll,
}: Pick<RememberChoiceProps, 'repository' | 'isForAll' | 'onForAll'>) {
  if (repository === null) return null
  return (
    <>
      <Checkbox className="mt-1 flex items-center gap-2 text-sm" checked={isForAll} onChange={onForAll}>
        <span>
          In all git worktrees of <code className="break-all">{exactText(repository)}</code>
        </span>
      </Checkbox>
      {isForAll && (
        <p className="mt-1 text-sm font-medium text-danger">
          All branches, also a stranger’s: their code gets the values without asking again.
        </p>
      )}
    </>
  )
}
