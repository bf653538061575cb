import { PageNote } from '../../ui/page-note.tsx'

/** For an address without a page. */
export function NotFoundPage({ path }: { path: string }) {
  return (
    <PageNote title="Page not found" href="/" way="Go to the start">
      There is no page at{' '}
      <span translate="no" className="font-mono [overflow-wrap:anywhere] text-ink">
        {path}
      </span>
      . It was deleted, or the link is incomplete.
    </PageNote>
  )
}
