import { useGrants } from '../../lib/data/lists.ts'
import { useMe } from '../../lib/data/me.ts'
import { GrantList } from '../../ui/grants/grant-list.tsx'

/** The tasks of the person's own terminals, which they can end. */
export function RunningTasks() {
  const userId = useMe().data?.user_id
  const tasks = useGrants().data?.filter(({ task, person }) => task && person.id === userId) ?? []
  return (
    tasks.length > 0 && (
      <div className="mb-6">
        <GrantList grants={tasks} namesPeople={false} />
      </div>
    )
  )
}
