import { type ReactNode, useEffect, useRef } from 'react'
import { useTitle } from '../lib/page/use-title.ts'
import { classNames } from './class-names.ts'

type PageHeadingProps = { title: string; shown?: ReactNode; intro?: ReactNode; actions?: ReactNode }

/** The head of a page: names the document, and takes the focus when the page is reached from another one. */
export function PageHeading({ title, shown, intro, actions }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  useEffect(() => {
    const { activeElement } = document
    if (activeElement === document.body || activeElement === null)
      heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className="mb-6 flex flex-wrap items-center gap-x-6 gap-y-3">
      <div className={classNames('min-w-0 flex-1', intro === undefined ? 'basis-auto' : 'basis-64')}>
        <h1 ref={heading} tabIndex={-1} className="text-lg font-semibold">
          {shown ?? title}
        </h1>
        {intro !== undefined && <div className="mt-1 text-ink-soft">{intro}</div>}
      </div>
      {actions !== undefined && <div className="flex max-w-full min-w-0 flex-wrap gap-2">{actions}</div>}
    </div>
  )
}
