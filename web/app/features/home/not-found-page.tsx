import { Link } from 'wouter'
import { PageHeading } from '../../ui/page-heading.tsx'

/** For an address without a page. */
export function NotFoundPage({ path }: { path: string }) {
  return (
    <div className="max-w-xl pt-6">
      <PageHeading title="Page not found" />
      <p className="text-ink-soft">
        There is no page at <span className="font-mono text-ink">{path}</span>. It was deleted, or the link is
        incomplete.
      </p>
      <Link href="/" className="link mt-4 inline-block">
        Go to the start
      </Link>
    </div>
  )
}
