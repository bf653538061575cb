import { PageHeading } from '../../ui/page-heading.tsx'

/** What a member sees who opened the address of a page for owners. */
export function OwnersOnly() {
  return (
    <>
      <PageHeading title="Activity" />
      <p className="text-ink-soft">
        Only owners of the workspace see what happened. Ask one of them, or ask to become an owner.
      </p>
    </>
  )
}
