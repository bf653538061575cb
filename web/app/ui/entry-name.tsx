import { Link } from 'wouter'
import { Breaks } from './breaks.tsx'

/** The name of a bundle or variable, whose lines end after `/` or `_`. No browser translates it. */
export function EntryName({ name, className }: { name: string; className?: string }) {
  return (
    <span translate="no" className={className}>
      <Breaks text={name} at={/(?<=[/_])/} />
    </span>
  )
}

type EntryLinkProps = { href: string; name: string; className?: string }

/** The name of a bundle or variable, which leads to its page. */
export function EntryLink({ href, name, className = 'link font-mono' }: EntryLinkProps) {
  return (
    <Link href={href} className={className}>
      <EntryName name={name} />
    </Link>
  )
}
