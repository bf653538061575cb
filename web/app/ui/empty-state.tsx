import type { ReactNode } from 'react'

/** Shown in place of an empty list: what this page is for and what to do next. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-lg border border-dashed border-edge px-5 py-8 sm:px-8">
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mt-2 max-w-read space-y-4 text-ink-soft">{children}</div>
    </div>
  )
}
