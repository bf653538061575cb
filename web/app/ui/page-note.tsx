import type { ReactNode } from 'react'
import type { Called } from '../lib/calls/call.ts'
import { useMay, useMe } from '../lib/data/me.ts'
import { ButtonLink } from './button.tsx'
import { NOTE_CARD } from './note-card.ts'
import { PageHeading } from './page-heading.tsx'

type PageNoteProps = {
  title: string
  /** Where to go from here, and what that is called. */
  href?: string
  way?: string
  children: ReactNode
}

/** A page that has only something to say. */
export function PageNote({ title, href, way = '', children }: PageNoteProps) {
  return (
    <div className={NOTE_CARD}>
      <PageHeading title={title} />
      <div className="text-ink-soft">{children}</div>
      {href !== undefined && (
        <p className="mt-6">
          <ButtonLink href={href} label={way} />
        </p>
      )}
    </div>
  )
}

/** In place of the page of a thing that the workspace does not have. */
export function NotFound({ what, href, list }: { what: string; href: string; list: string }) {
  return (
    <PageNote title={`${what} not found`} href={href} way={`Go to the ${list}`}>
      It was deleted, or it belongs to another workspace.
    </PageNote>
  )
}

type OwnersOnlyProps = {
  /** What the page needs. */
  operation: Called
  title: string
  /** What only owners see. */
  what: string
  children: ReactNode
}

/** A page for owners; a member who opens its address reads why it is empty. */
export function OwnersOnly({ operation, title, what, children }: OwnersOnlyProps) {
  const isKnown = useMe().data !== undefined
  const may = useMay()
  if (!isKnown || may(operation)) return children
  return (
    <PageNote title={title}>
      Only owners of the workspace see {what}. Ask one of them, or ask to become an owner.
    </PageNote>
  )
}
