import type { Grant } from '../../lib/calls/answers.ts'
import { useGrants } from '../../lib/data/lists.ts'
import { GrantList } from '../../ui/grants/grant-list.tsx'

/** The tasks of the person's own terminals, which they can end. A task that ends keeps its row. */
export function RunningTasks({ drawn }: { drawn: readonly Grant[] }) {
  const running = new Map(useGrants().data?.map((grant) => [grant.id, grant]))
  return (
    <div className="mb-6">
      <GrantList
        grants={drawn.map((grant) => running.get(grant.id) ?? { ...grant, isOver: true })}
        namesPeople={false}
      />
    </div>
  )
}
