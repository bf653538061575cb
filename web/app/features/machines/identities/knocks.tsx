import type { Machine } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-answer.ts'
import { LoadingState } from '../../../ui/loaded.tsx'
import { Knock } from './knock.tsx'

/** Refused calls with a verified identity; an owner allows what they recognise. */
export function Knocks({ machine }: { machine: Machine }) {
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
    <section aria-labelledby="refused">
      <h2 id="refused" className="text-sm font-semibold">
        Refused calls <span className="font-normal text-ink-soft">{attempts.data.length}</span>
      </h2>
      <p className="mb-2 max-w-xl text-sm text-ink-soft">
        These calls named this machine, and the platform’s signature is valid. Allow only what you recognise.
      </p>
      <ul aria-label="Refused calls" className="space-y-3">
        {attempts.data.map((attempt) => (
          <Knock key={attempt.fingerprint} machine={machine} attempt={attempt} />
        ))}
      </ul>
    </section>
  )
}
