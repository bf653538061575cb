import { Link } from 'wouter'
import { Breaks } from './breaks.tsx'

/** The name of a bundle or key, whose lines end after `/` or `_`; with classes, in an element of its own. */
export function EntryName({ name, className }: { name: string; className?: string }) {
  const parts = <Breaks text={name} at={/(?<=[/_])/} />
  return className === undefined ? parts : <span className={className}>{parts}</span>
}

type EntryLinkProps = { href: string; name: string; className?: string }

/** The name of a bundle or key, which leads to its page. */
export function EntryLink({ href, name, className = 'link font-mono' }: EntryLinkProps) {
  return (
    <Link href={href} className={className}>
      <EntryName name={name} />
    </Link>
  )
}
