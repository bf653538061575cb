import { useState } from 'react'
import { describeFailure } from '../../../lib/calls/failure.ts'
import { useChange } from '../../../lib/calls/use-call.ts'
import type { Machine, MachineAttempt } from '../../../lib/machines/answers.ts'
import {
  callerWords,
  claimNames,
  dangersOf,
  reasonWords,
  seenOf,
} from '../../../lib/machines/attempt-words.ts'
import { issuerName } from '../../../lib/machines/platforms.ts'
import { ago, dateTime } from '../../../lib/words/time.ts'
import { exactText } from '../../../lib/words/visible-text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { FailureNotice, Notice } from '../../../ui/notice.tsx'
import { notify, withToast } from '../../../ui/toast-store.ts'
import { BroadCheckbox } from './broad-checkbox.tsx'

type AttemptProps = { machine: Machine; attempt: MachineAttempt }

/** One refused identity: who it is, what is dangerous about it, and the claims to allow it by. */
export function Attempt({ machine, attempt }: AttemptProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(attempt.suggested))
  const [isBroad, setBroad] = useState(false)
  const allow = useChange('allowMachineAttempt', { machine_id: machine.id, fingerprint: attempt.fingerprint })
  const failure = allow.error === null ? null : describeFailure(allow.error)
  const submit = () =>
    allow.mutate(
      { ...seenOf(attempt, chosen), broad: isBroad },
      { onSuccess: () => notify({ text: `${machine.name} trusts this identity now. Run the job again.` }) },
    )
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <AttemptHead attempt={attempt} />
      <Dangers attempt={attempt} chosen={chosen} />
      <AttemptClaims attempt={attempt} chosen={chosen} onChoose={setChosen} />
      <FailureNotice error={allow.error} act="allow this" className="mt-3" />
      {failure?.code === 'trust_too_broad' && (
        <div className="mt-3">
          <BroadCheckbox checked={isBroad} onChange={setBroad} />
        </div>
      )}
      <AttemptActions
        machine={machine}
        attempt={attempt}
        isPending={allow.isPending}
        canAllow={chosen.size > 0}
        onAllow={submit}
      />
    </li>
  )
}

function AttemptHead({ attempt }: { attempt: MachineAttempt }) {
  const { last_at, times, reason, is_bound } = attempt
  return (
    <>
      <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
        <span className="[overflow-wrap:anywhere]">
          {issuerName(attempt)} ·{' '}
          <bdi translate="no" className="font-mono">
            {callerWords(attempt)}
          </bdi>
        </span>
        {is_bound && <Badge tone="good">Bound to the client</Badge>}
      </h3>
      <p className="mt-0.5 text-xs text-ink-soft" title={dateTime(last_at)}>
        {ago(last_at)}
        {times > 1 && `, ${times} times`} · refused: {reasonWords(reason)}
      </p>
    </>
  )
}

function Dangers({ attempt, chosen }: { attempt: MachineAttempt; chosen: ReadonlySet<string> }) {
  const dangers = dangersOf(attempt, chosen)
  if (dangers.length === 0) return null
  return (
    <Notice tone="danger" role="status" className="mt-3">
      {dangers.map((danger) => (
        <p key={danger}>{danger}</p>
      ))}
    </Notice>
  )
}

type AttemptActionsProps = AttemptProps & { isPending: boolean; canAllow: boolean; onAllow: () => void }

function AttemptActions({ machine, attempt, isPending, canAllow, onAllow }: AttemptActionsProps) {
  const given = { machine_id: machine.id, fingerprint: attempt.fingerprint }
  const dismiss = useChange('dismissMachineAttempt', given)
  const who = callerWords(attempt)
  return (
    <>
      <p className="mt-3 text-xs text-ink-soft">
        Anyone who can start such a job can get the values of {bundlesText(machine)} at any time, without an
        approval.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          label="Allow"
          look="primary"
          size="small"
          busy={isPending}
          disabled={!canAllow}
          aria-label={`Allow ${who}`}
          onClick={onAllow}
        />
        <Button
          label="Dismiss"
          size="small"
          busy={dismiss.isPending}
          aria-label={`Dismiss ${who}`}
          onClick={() =>
            dismiss.mutate(undefined, withToast('dismiss it', 'Dismissed. Its next call lists it again.'))
          }
        />
      </div>
    </>
  )
}

function bundlesText({ grants }: Machine): string {
  const names = grants.filter(({ scope }) => scope === 'deliver').map(({ bundle }) => bundle.name)
  const [first, second] = names
  if (first === undefined) return 'the bundles that you add to this machine'
  if (second === undefined) return first
  return names.length === 2 ? `${first} and ${second}` : `${first}, ${second} and ${names.length - 2} more`
}

type AttemptClaimsProps = {
  attempt: MachineAttempt
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

/** The verified claims of a call, to tick those that a later call must have. */
function AttemptClaims({ attempt, chosen, onChoose }: AttemptClaimsProps) {
  const { identity, others } = claimNames(attempt)
  const list = (names: readonly string[]) => (
    <ClaimList attempt={attempt} names={names} chosen={chosen} onChoose={onChoose} />
  )
  return (
    <fieldset className="mt-3">
      <legend className="mb-1 text-xs font-medium text-ink-soft">A later call must have</legend>
      {list(identity)}
      {others.length > 0 && (
        <details className="mt-1">
          <summary className="min-h-8 py-1 text-xs text-ink-soft">
            {others.length} more {others.length === 1 ? 'claim' : 'claims'} of the ID token
          </summary>
          {list(others)}
        </details>
      )}
    </fieldset>
  )
}

function ClaimList({
  attempt: { claims },
  names,
  chosen,
  onChoose,
}: AttemptClaimsProps & { names: readonly string[] }) {
  const toggle = (name: string) => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    onChoose(next)
  }
  return (
    <ul className="grid gap-x-6 sm:grid-cols-2">
      {names.map((name) => (
        <li key={name}>
          <Checkbox
            className="flex items-start gap-2.5 py-1 text-sm"
            boxClass="mt-0.5"
            checked={chosen.has(name)}
            onChange={() => toggle(name)}
          >
            <span translate="no" className="min-w-0 font-mono text-xs leading-5 [overflow-wrap:anywhere]">
              <span className="text-ink-soft">{exactText(name)} </span>
              <bdi>{exactText(claims[name] ?? '')}</bdi>
            </span>
          </Checkbox>
        </li>
      ))}
    </ul>
  )
}
