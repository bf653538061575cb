import { lazy, Suspense, useState } from 'react'

const ReceiverCode = lazy(async () => ({ default: (await import('./receiver-code.tsx')).ReceiverCode }))

/** Shows the code of a receiver when it is asked for. */
export function Receiver() {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mb-8 max-w-3xl" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="min-h-8 py-1 text-sm font-medium">Code for the receiver</summary>
      <div className="mt-2">
        {isOpen && (
          <Suspense fallback={null}>
            <ReceiverCode />
          </Suspense>
        )}
      </div>
    </details>
  )
}
