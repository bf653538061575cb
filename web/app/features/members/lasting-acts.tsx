import type { LastingAct } from '../../lib/calls/answers.ts'
import { useChange, without } from '../../lib/calls/use-call.ts'
import { useLastingActs } from '../../lib/data/approval-keys.ts'
import { dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { notifyFailure } from '../../ui/toast-store.ts'

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

function ActRow({ act: { id, act, person, about, counts_from } }: { act: LastingAct }) {
  const stop = useChange('endLastingAct', { act_id: id }, { shows: without('listLastingActs', {}, id) })
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-2 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 basis-52 text-sm [overflow-wrap:anywhere]">
        <p>
          {visibleText(act)} {about.map((name) => visibleText(name)).join(', ')}
        </p>
        <p className="text-xs text-ink-soft">
          signed by {person.name} · from {dateTime(counts_from)}
        </p>
      </div>
      <Button
        label="Stop"
        size="small"
        busy={stop.isPending}
        onClick={() => stop.mutate(undefined, { onError: notifyFailure })}
      />
    </li>
  )
}
