import type { MachineAttempt } from '../../../lib/calls/answers.ts'
import { claimNames } from '../../../lib/words/attempt-words.ts'
import { exactText } from '../../../lib/words/visible-text.ts'

type KnockClaimsProps = {
  attempt: MachineAttempt
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

/** The verified claims of a call, to tick those that a later call must have. */
export function KnockClaims({ attempt, chosen, onChoose }: KnockClaimsProps) {
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
}: KnockClaimsProps & { names: readonly string[] }) {
  const toggle = (name: string) => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    onChoose(next)
  }
  return (
    <ul className="grid gap-x-6 sm:grid-cols-2">
      {names.map((name) => (
        <li key={name}>
          <label className="flex items-start gap-2.5 py-1 text-sm">
            <input
              type="checkbox"
              className="checkbox mt-0.5"
              checked={chosen.has(name)}
              onChange={() => toggle(name)}
            />
            <span className="min-w-0 font-mono text-xs leading-5 [overflow-wrap:anywhere]">
              <span className="text-ink-soft">{exactText(name)} </span>
              <bdi>{exactText(claims[name] ?? '')}</bdi>
            </span>
          </label>
        </li>
      ))}
    </ul>
  )
}
