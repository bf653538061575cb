import type { EnvEntry, readImport } from '@keyferry/contract/env'
import { MASK } from '@keyferry/contract/limits'
import type { ReactNode } from 'react'
import type { ImportChoice, ImportPlan, ImportStep } from '../../lib/calls/answers.ts'
import { useReadableValues } from '../../lib/data/bundles.ts'
import { valueWarnings } from '../../lib/rules/value-warnings.ts'
import { listed } from '../../lib/words/counted.ts'
import { changes, choiceOf, makesKey, planText } from '../../lib/words/import-steps.ts'
import { Button } from '../../ui/button.tsx'
import { StepRow } from '../../ui/import-step/step-row.tsx'
import { TryAgain } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SecretChoice } from '../../ui/secret-choice.tsx'
import { Rows } from '../../ui/section.tsx'
import { CrossingNotice, StricterNotice } from '../../ui/stricter-notice.tsx'
import { type Decisions, deciding, offeredOpen } from './decisions.ts'
import type { Planning } from './use-plan.ts'

type ImportPreviewProps = {
  read: ReturnType<typeof readImport>
  planning: Planning
  decisions: Decisions
  onDecide: (decisions: Decisions) => void
}

/** What the import would do, line by line, before anything is written. */
export function ImportPreview({ read, planning, decisions, onDecide }: ImportPreviewProps) {
  const { plan, request, isPending } = planning
  const steps = new Map(plan?.plan.map((step) => [step.name, step]))
  const before = useReadableValues(plan?.bundle_id ?? null)
  const { skip, mark, choose } = deciding(decisions, onDecide)
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
      <ReadNotes {...read} />
      <StricterNotice names={plan?.stricter ?? []} />
      {plan !== null && <AllChoices plan={plan.plan} onChoose={choose} />}
      <OpenOffer
        names={offeredOpen(read.entries, plan?.plan ?? [], decisions)}
        onOpen={(names) => mark(names, false)}
      />
      <PlanProblem planning={planning} onSkip={(names) => skip(names, true)} />
      <Rows className="mt-2">
        {read.entries.map((entry) => (
          <EntryRow
            key={entry.name}
            entry={entry}
            step={steps.get(entry.name)}
            before={before.get(entry.name)}
            decisions={decisions}
            onDecide={onDecide}
          />
        ))}
      </Rows>
    </section>
  )
}

type EntryRowProps = Pick<ImportPreviewProps, 'decisions' | 'onDecide'> & {
  entry: EnvEntry
  step: ImportStep | undefined
  /** What the bundle delivers now, if everyone may read it. */
  before: string | undefined
}

/** One line of the text. It shows how a value changes only if neither the old nor the new one is secret. */
function EntryRow({ entry: { name, value, line }, step, before, decisions, onDecide }: EntryRowProps) {
  const { skip, mark, choose } = deciding(decisions, onDecide)
  const isSkipped = decisions.skipped.has(name)
  const isSecret = decisions.secret.get(name) ?? step?.is_secret ?? true
  const shown =
    before !== undefined && step && !isSecret && changes(step) ? { old_value: before, new_value: value } : {}
  return (
    <StepRow
      name={name}
      step={isSkipped ? undefined : step && { ...step, ...shown }}
      about={`Line ${line}`}
      warnings={value === MASK ? [] : valueWarnings(value)}
      onChoose={(_, choice) => choose([name], choice)}
      lead={
        <input
          type="checkbox"
          className="checkbox mt-1"
          aria-label={name}
          checked={!isSkipped}
          onChange={() => skip([name], !isSkipped)}
        />
      }
      mark={
        <SecretChoice
          of={name}
          isSecret={isSecret}
          disabled={isSkipped || (step !== undefined && !makesKey(step))}
          onChange={(chosen) => mark([name], chosen)}
        />
      }
    />
  )
}

type OpenOfferProps = { names: readonly string[]; onOpen: (names: readonly string[]) => void }

/** New keys are secret until the person says otherwise, here or in the row. */
function OpenOffer({ names, onOpen }: OpenOfferProps) {
  if (names.length === 0) return null
  return (
    <Notice tone="plain" className="mt-2">
      <p>
        New variables are secret. {listed(names, 5)} {names.length === 1 ? 'does' : 'do'} not look secret.
      </p>
      <Button
        label={`Mark ${names.length === 1 ? 'it' : `these ${names.length}`} as not secret`}
        size="small"
        className="mt-2"
        onClick={() => onOpen(names)}
      />
    </Notice>
  )
}

type PlanProblemProps = { planning: Planning; onSkip: (names: readonly string[]) => void }

function PlanProblem({ planning: { failure, again }, onSkip }: PlanProblemProps) {
  if (failure === null) return null
  const names = failure.details['names']
  const entries = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  return (
    <Notice tone="problem" role="alert" className="mt-2">
      <p>Could not plan this: {failure.message}</p>
      {entries.length > 0 ? (
        <Button
          label={`Leave ${entries.length === 1 ? 'it' : `these ${entries.length}`} out`}
          size="small"
          className="mt-2"
          onClick={() => onSkip(entries)}
        />
      ) : (
        <TryAgain failure={failure} refetch={again} />
      )}
    </Notice>
  )
}

/** What the text means beyond its lines, and the lines that cannot be read. */
function ReadNotes({ notes, problems }: ImportPreviewProps['read']) {
  return (
    <>
      <List tone="plain">
        {notes.map((note) => (
          <li key={note} className="first-letter:uppercase">
            {note}.
          </li>
        ))}
      </List>
      <List tone="problem">
        {problems.map(({ line, problem }) => (
          <li key={`${line} ${problem}`}>
            <strong className="font-semibold">Line {line}</strong>: {problem}.
          </li>
        ))}
      </List>
    </>
  )
}

function List({ tone, children }: { tone: 'plain' | 'problem'; children: readonly ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <Notice tone={tone} className="mt-2">
      <ul className="space-y-0.5">{children}</ul>
    </Notice>
  )
}

type AllChoicesProps = {
  plan: ImportPlan['plan']
  onChoose: (names: readonly string[], choice: ImportChoice) => void
}

const LABELS = { own: 'All own values', share: 'All shared values' } as const

/** One choice for every variable that another bundle delivers too, and a warning where production shares a secret. */
export function AllChoices({ plan, onChoose }: AllChoicesProps) {
  const able = (choice: ImportChoice) => plan.filter(({ choices }) => choices.includes(choice))
  const toOwn = able('own').flatMap(({ name, crosses }) => (crosses ? [name] : []))
  return (
    <>
      {(['own', 'share'] as const).map((choice) => {
        const others = able(choice).filter((step) => choiceOf(step) !== choice)
        if (others.length === 0 || able(choice).length < 2) return null
        const names = others.map(({ name }) => name)
        return (
          <Button
            key={choice}
            label={LABELS[choice]}
            size="small"
            className="mt-2 mr-2"
            onClick={() => onChoose(names, choice)}
          />
        )
      })}
      <CrossingNotice of={plan} className="mt-2">
        {toOwn.length > 0 && (
          <Button
            label="Use own values for these"
            size="small"
            className="mt-2 block"
            onClick={() => onChoose(toOwn, 'own')}
          />
        )}
      </CrossingNotice>
    </>
  )
}
