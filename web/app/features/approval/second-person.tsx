import { Users } from 'lucide-react'
import { CommandLine } from '../../ui/command-line.tsx'
import { Outcome } from './outcome.tsx'

/** For the first of two approvers: who is missing, and how that person gets here. */
export function SecondPerson({ count, bundle }: { count: number; bundle: string }) {
  return (
    <Outcome title="Approved by you, one person missing" Icon={Users} tone="plain">
      <p role="status">
        {count} {count === 1 ? 'key' : 'keys'} of <bdi className="font-mono text-ink">{bundle}</bdi> need two
        people. The terminal has no values yet.
      </p>
      <p>Send this link to a second person. It works until the request expires.</p>
      <CommandLine command={location.origin + location.pathname} />
    </Outcome>
  )
}
