import { useAnswer } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import type { Machine } from '../../lib/machines/answers.ts'
import { warningsOf } from '../../lib/machines/machine-state.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { GrantedBundles } from './granted-bundles.tsx'
import { Attempt } from './identities/attempt.tsx'
import { Identities } from './identities/identities.tsx'
import { Tokens } from './tokens/tokens.tsx'

/** What needs attention, what the machine may fetch, and how it proves itself. */
export function MachineOverview({ machine }: { machine: Machine }) {
  return (
    <div className="space-y-8">
      <Warnings machine={machine} />
      {useMay()('listMachineAttempts') && <Attempts machine={machine} />}
      <GrantedBundles machine={machine} />
      <Identities machine={machine} />
      <Tokens machine={machine} />
    </div>
  )
}

function Warnings({ machine }: { machine: Machine }) {
  const warnings = warningsOf(machine).filter(({ tone }) => tone !== 'plain')
  if (warnings.length === 0) return null
  return (
    <div className="max-w-read space-y-2">
      {warnings.map(({ name, tone, text }) => (
        <Notice key={text} tone={tone}>
          <strong className="font-medium">{name}.</strong> {text}
        </Notice>
      ))}
    </div>
  )
}

/** Refused calls with a verified identity; an owner allows what they recognise. */
function Attempts({ machine }: { machine: Machine }) {
  const attempts = useAnswer(
    'listMachineAttempts',
    { machine_id: machine.id },
    // A new call shows while the owner waits for it.
    { staleTime: 0, refetchInterval: 5_000 },
  )
  if (attempts.data === undefined) {
    return attempts.error === null ? null : <LoadingState query={attempts} what="the refused calls" />
  }
  if (attempts.data.length === 0) return null
  return (
    <Section title="Refused calls" count={attempts.data.length}>
      <p className="mb-2 max-w-read text-sm text-ink-soft">
        These calls named this machine, and the platform’s signature is valid. Allow only what you recognise.
      </p>
      <ul aria-label="Refused calls" className="space-y-3">
        {attempts.data.map((attempt) => (
          <Attempt key={attempt.fingerprint} machine={machine} attempt={attempt} />
        ))}
      </ul>
    </Section>
  )
}
