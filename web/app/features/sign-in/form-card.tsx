import type { ReactNode } from 'react'

/** A narrow card around a single form. */
export function FormCard({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto mt-4 max-w-md rounded-lg border border-line bg-surface p-6 sm:mt-12 sm:p-8">
      {children}
    </div>
  )
}
