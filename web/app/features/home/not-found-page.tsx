import { Link } from 'wouter'
import { PageHeading } from '../../ui/page-heading.tsx'

/** For an address that leads nowhere. */
export function NotFoundPage({ path }: { path: string }) {
  return (
    <div className="max-w-xl pt-6">
      <PageHeading title="There is no such page" />
      <p className="text-ink-soft">
        Nothing lives at <span className="font-mono text-ink">{path}</span>. It may have been deleted, or the
        link is incomplete.
      </p>
      <Link href="/" className="link mt-4 inline-block">
        Go to the start
      </Link>
    </div>
  )
}
