import { Fragment } from 'react'
import { Link } from 'wouter'

/** The name of a bundle or key, whose lines end after `/` or `_`; with classes, in an element of its own. */
export function EntryName({ name, className }: { name: string; className?: string }) {
  const parts = name.split(/(?<=[/_])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one name neither move nor change
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
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
