import { PageHeading } from '../../ui/page-heading.tsx'

/** What a member sees who opened the address of a webhook. */
export function OwnersOnly() {
  return (
    <>
      <PageHeading title="Webhooks" />
      <p className="text-ink-soft">
        Only owners of the workspace see its webhooks. Ask one of them, or ask to become an owner.
      </p>
    </>
  )
}
