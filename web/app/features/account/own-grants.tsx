import { useChange } from '../../lib/calls/use-change.ts'
import { useGrants } from '../../lib/data/lists.ts'
import { useMe } from '../../lib/data/me.ts'
import { Button } from '../../ui/button.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { GrantList } from '../../ui/grants/grant-list.tsx'
import { notify } from '../../ui/toast-store.ts'

/** The commands that the person's terminals may repeat without a question. */
export function OwnGrants() {
  const userId = useMe().data?.user_id
  const grants = useGrants().data?.filter(({ person }) => person.id === userId) ?? []
  const revoke = useChange('revokeOwnGrants', {})
  const end = () =>
    revoke.mutate(undefined, {
      onSuccess: ({ ended }) => notify({ text: ended === 1 ? 'Revoked one.' : `Revoked ${ended}.` }),
    })
  return (
    <section aria-labelledby="grants" className="mt-8">
      <h2 id="grants" className="text-sm font-semibold">
        Remembered approvals
      </h2>
      <p className="mt-1 text-sm text-ink-soft">
        These commands start without a new approval, on the terminal where you approved them.
      </p>
      {grants.length > 0 ? (
        <div className="mt-3">
          <GrantList grants={grants} namesPeople={false} />
        </div>
      ) : (
        <p className="mt-3 text-sm">None in this workspace.</p>
      )}
      <FailureNotice error={revoke.error} className="mt-3" />
      <Button label="Revoke mine in all workspaces" className="mt-3" busy={revoke.isPending} onClick={end} />
    </section>
  )
}
