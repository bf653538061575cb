import { useGrants } from '../../lib/data/grants.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { GrantList } from '../../ui/grants/grant-list.tsx'

/** The remembered approvals of all members, for owners. */
export function WorkspaceGrants() {
  const isOwner = useIsOwner()
  const grants = useGrants().data ?? []
  if (!isOwner || grants.length === 0) return null
  return (
    <section aria-labelledby="grants" className="mb-8">
      <h2 id="grants" className="mb-1 text-lg font-semibold">
        Remembered approvals <span className="font-normal text-ink-soft">{grants.length}</span>
      </h2>
      <p className="mb-4 max-w-xl text-ink-soft">
        Commands that start without a new approval on one terminal. Changing the rules ends them.
      </p>
      <GrantList grants={grants} namesPeople />
    </section>
  )
}
