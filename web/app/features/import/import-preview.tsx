import type { EnvError, readImport } from '@keyferry/contract/env'
import type { ReactNode } from 'react'
import type { Bundle, ImportChoice } from '../../lib/calls/answers.ts'
import { canTryAgainAfter } from '../../lib/calls/failure.ts'
import { useReadableValues } from '../../lib/data/bundles.ts'
import { planText } from '../../lib/words/import-steps.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { StricterNotice } from '../../ui/stricter-notice.tsx'
import { AllChoices } from './all-choices.tsx'
import type { Decisions } from './decisions.ts'
import { PreviewRow } from './preview-row.tsx'
import type { Planning } from './use-plan.ts'

type ImportPreviewProps = {
  bundleName: string
  bundles: readonly Bundle[]
  read: ReturnType<typeof readImport>
  planning: Planning
  decisions: Decisions
  onDecide: (decisions: Decisions) => void
}

/** What the import would do, line by line, before anything is written. */
export function ImportPreview({ read, planning, decisions, onDecide, ...target }: ImportPreviewProps) {
  const { plan, request, isPending } = planning
  const steps = new Map(plan?.plan.map((step) => [step.name, step]))
  const before = useReadableValues(plan?.bundle_id ?? null)
  const skip = (names: readonly string[], skipped: boolean) => {
    const next = new Set(decisions.skipped)
    for (const name of names) {
      if (skipped) next.add(name)
      else next.delete(name)
    }
    onDecide({ ...decisions, skipped: next })
  }
  const decideSecret = (name: string, secret: boolean) =>
    onDecide({ ...decisions, secret: new Map(decisions.secret).set(name, secret) })
  const choose = (names: readonly string[], choice: ImportChoice) =>
    onDecide({
      ...decisions,
      choices: new Map([...decisions.choices, ...names.map((name) => [name, choice] as const)]),
    })
  return (
    <section aria-labelledby="preview" aria-busy={isPending}>
      <div className="flex flex-wrap gap-x-2 text-sm">
        <h2 id="preview" className="font-semibold">
          Preview
        </h2>
        <p role="status" className="text-ink-soft">
          {request === null ? 'Name the bundle to see it.' : plan === null ? '' : planText(plan.plan)}
        </p>
      </div>
      {read.notes.length > 0 && (
        <List tone="plain">
          {read.notes.map((note) => (
            <li key={note} className="first-letter:uppercase">
              {note}.
            </li>
          ))}
        </List>
      )}
      {read.problems.length > 0 && <InvalidLines problems={read.problems} />}
      <StricterNotice names={plan?.stricter ?? []} />
      {plan !== null && <AllChoices plan={plan.plan} {...target} onChoose={choose} />}
      <PlanProblem planning={planning} onSkip={(names) => skip(names, true)} />
      <ul className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
        {read.entries.map((entry) => (
          <PreviewRow
            key={entry.name}
            entry={entry}
            step={steps.get(entry.name)}
            skipped={decisions.skipped.has(entry.name)}
            before={before.get(entry.name)}
            secret={decisions.secret.get(entry.name)}
            onSkip={(name, skipped) => skip([name], skipped)}
            onSecret={decideSecret}
            onChoose={(name, choice) => choose([name], choice)}
          />
        ))}
      </ul>
    </section>
  )
}

type PlanProblemProps = { planning: Planning; onSkip: (names: readonly string[]) => void }

function PlanProblem({ planning: { failure, again }, onSkip }: PlanProblemProps) {
  if (failure === null) return null
  const names = failure.details['names']
  const entries = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  return (
    <Notice tone="danger" role="alert" className="mt-2">
      <p>{failure.message}</p>
      {entries.length > 0 ? (
        <Button
          label={`Leave ${entries.length === 1 ? 'it' : `these ${entries.length}`} out`}
          size="small"
          className="mt-2"
          onClick={() => onSkip(entries)}
        />
      ) : (
        canTryAgainAfter(failure) && (
          <Button label="Try again" size="small" className="mt-2" onClick={again} />
        )
      )}
    </Notice>
  )
}

function InvalidLines({ problems }: { problems: readonly EnvError[] }) {
  return (
    <List tone="danger">
      {problems.map(({ line, problem }) => (
        <li key={`${line} ${problem}`}>
          <strong className="font-semibold">Line {line}</strong>: {problem}.
        </li>
      ))}
    </List>
  )
}

function List({ tone, children }: { tone: 'plain' | 'danger'; children: ReactNode }) {
  return (
    <Notice tone={tone} className="mt-2">
      <ul className="space-y-0.5">{children}</ul>
    </Notice>
  )
}
