import { LIMITS, spanText, TIMES } from '@keyferry/contract/limits'
import { useState } from 'react'
import type { RequestContext } from '../../lib/calls/answers.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { counted } from '../../lib/words/counted.ts'
import { placeOf } from '../../lib/words/holder-text.ts'
import { shownArgument } from '../../lib/words/shown-argument.ts'
import { timeOfDay } from '../../lib/words/time.ts'
import { exactText } from '../../lib/words/visible-text.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Repeat2 } from '../../ui/icons.ts'
import { Fact } from './card.tsx'
import type { Demands, ReturnPlan } from './return-plan.ts'

const MOST_HOURS = 8

/** For how many hours the approver may let the terminal repeat the approval; 0: not at all. */
export function offeredHours(rules: Demands | null, plan: ReturnPlan): number {
  if (plan.by === 'refused' || plan.by === 'later') return 0
  if (rules?.remember_needs_loopback !== false && plan.by !== 'loopback') return 0
  return Math.min(MOST_HOURS, rules?.remember_hours ?? 0)
}

/** The task that the approver may approve; null: none. It begins when its approval has returned. */
export function offeredTask(rules: Demands | null, plan: ReturnPlan): OfferedTask | null {
  const isReturned = plan.by === 'loopback' || plan.by === 'code'
  const isOwn = plan.by === 'none' && rules?.remember_needs_loopback === false
  return isReturned || isOwn ? (rules?.task ?? null) : null
}

type OfferedTask = NonNullable<Demands['task']>

/** The folder in all working trees for which the approval can be remembered; null: it cannot. */
export function repositoryOf(context: RequestContext, rules: Demands | null): string | null {
  return rules?.remember_repository === true ? (context.repository ?? null) : null
}

type Offered = { hours: number; task: OfferedTask | null; repository: string | null }

/** What the yes counts for: this command once, unless the person chooses more.
 * @param reload reloads which commands wait */
export function useRemembered(offered: Offered, reload: (() => void) | undefined) {
  const [chosen, setChosen] = useState<'once' | 'again' | 'task'>('once')
  const [isForAll, onForAll] = useState(false)
  const hours = chosen === 'again' ? offered.hours : 0
  return {
    offered,
    hours,
    task: chosen === 'task' ? offered.task : null,
    choose: (next: typeof chosen) => {
      setChosen(next)
      if (next === 'task') reload?.()
    },
    isForAll: isForAll && hours > 0 && offered.repository !== null,
    onForAll,
  }
}

type RememberChoiceProps = ReturnType<typeof useRemembered> & {
  context: RequestContext
  /** How many values are chosen. */
  count: number
  /** Whether the terminal says that an AI agent runs it. */
  isAgent: boolean
  by: ReturnPlan['by']
}

/** What the yes counts for. */
export function RememberChoice({ context, count, isAgent, by, ...remember }: RememberChoiceProps) {
  const { offered, hours, task, choose, isForAll, onForAll } = remember
  if (offered.hours === 0 && offered.task === null) return null
  const { repository } = offered
  const chosen = task ? 'task' : hours > 0 ? 'again' : 'once'
  return (
    <Fact Icon={Repeat2}>
      <fieldset className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
        <legend className="float-left">Yes for</legend>
        <span className="flex flex-wrap gap-1">
          {choicesOf(offered).map(([choice, words]) => (
            <label
              key={choice}
              className="relative inline-flex h-7 items-center rounded-sm border border-edge px-2 text-xs has-checked:border-accent has-checked:bg-accent-soft has-checked:font-medium has-focus-visible:outline-2"
            >
              <input
                type="radio"
                name="remember"
                className="absolute inset-0 opacity-0"
                checked={choice === chosen}
                onChange={() => choose(choice)}
              />
              {words}
            </label>
          ))}
        </span>
      </fieldset>
      {hours > 0 && <WhereChoice {...{ repository, isForAll, onForAll }} />}
      {hours > 0 && isAgent && (
        <p className="mt-1 text-sm font-medium text-danger">
          An agent can change the program’s files and read the values without asking again.
        </p>
      )}
      {task && <TaskTerms {...{ task, context, count, by }} />}
    </Fact>
  )
}

function choicesOf({ hours, task }: Offered) {
  const length = spanText(TIMES.taskSeconds)
  const all = [
    ['once', 'this command, once'],
    ['again', hours > 0 && `this command again, ${counted(hours, 'hour')}`],
    ['task', task !== null && (task.rule ? `the task (${allowing(task.rule)})` : `the task, ${length}`)],
  ] as const
  return all.flatMap(([choice, words]) => (words === false ? [] : [[choice, words] as const]))
}

const allowing = ({ folder }: NonNullable<OfferedTask['rule']>) =>
  folder === null ? 'allow in this bundle' : `allow in ${folder}`

type TermsProps = { task: OfferedTask } & Pick<RememberChoiceProps, 'context' | 'count' | 'by'>

/** What a task lets the programs of the terminal do. */
function TaskTerms({ task, context: { requester_meta: meta }, count, by }: TermsProps) {
  const until = new Date(serverNowMs() + TIMES.taskSeconds * 1_000).toISOString()
  const terminal = placeOf({ user: meta['user'] ?? '', hostname: meta['hostname'] ?? '' })
  return (
    <div className="mt-2 space-y-2 text-sm">
      <p>
        Until {timeOfDay(until)}, up to {LIMITS.grantUses} times, programs of{' '}
        <bdi className="font-medium">{terminal ?? 'this terminal'}</bdi> in this folder can get{' '}
        {count === 1 ? 'this value' : `these ${count} values`} and run <strong>anything</strong> with{' '}
        {count === 1 ? 'it' : 'them'}. Nobody reads those commands first. <em>End</em>, on the home page,
        stops new runs; running programs keep what they have.
        {by === 'code' && ' When a value changes, they ask again.'}
      </p>
      {task.also.length > 0 && (
        <>
          <p>These commands wait, and start with it:</p>
          <ul className="space-y-1">
            {task.also.map(({ request_id, argv }) => (
              <li key={request_id} className="font-mono text-xs break-words">
                {argv.map(shownArgument).join(' ')}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function WhereChoice({
  repository,
  isForAll,
  onForAll,
}: Pick<Offered, 'repository'> & Pick<RememberChoiceProps, 'isForAll' | 'onForAll'>) {
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
