import type { LastingAct } from '../../lib/calls/answers.ts'
import { useChange, without } from '../../lib/calls/use-call.ts'
import { useLastingActs } from '../../lib/data/approval-keys.ts'
import { waitingText } from '../../lib/words/acts.ts'
import { dateTime } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { failing } from '../../ui/toast-store.ts'

/** Signed changes that wait for another owner or for a day. Any owner stops them. */
export function LastingActs() {
  const acts = useLastingActs().data ?? []
  if (acts.length === 0) return null
  return (
    <Section
      title="Signed changes that wait"
      size="large"
      className="mt-8"
      intro="Such a change happens when another owner signs the same, or when its person signs it again after this time. If you do not know it, stop it."
    >
      <Rows>
        {acts.map((act) => (
          <ActRow key={act.id} act={act} />
        ))}
      </Rows>
    </Section>
  )
}

function ActRow({ act }: { act: LastingAct }) {
  const { id, person, counts_from } = act
  const shows = without('listLastingActs', {}, id)
  const stop = useChange('endLastingAct', { act_id: id }, { shows, refreshes: ['listApprovalKeys'] })
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-2 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 basis-52 text-sm [overflow-wrap:anywhere]">
        <p>{waitingText(act)}</p>
        <p className="text-xs text-ink-soft">
          signed by {person.name} · from {dateTime(counts_from)}
        </p>
      </div>
      <Button
        label="Stop"
        size="small"
        busy={stop.isPending}
        onClick={() => stop.mutate(undefined, { onError: failing('stop the change') })}
      />
    </li>
  )
}
