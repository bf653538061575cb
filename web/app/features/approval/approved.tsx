import { CircleCheck } from 'lucide-react'
import { Outcome } from './outcome.tsx'
import type { Choice } from './request-state.ts'

/** After approving: what was handed over, whether the terminal has it, and where to rotate it. */
export function Approved({ choice, delivered }: { choice: Choice; delivered: boolean }) {
  return (
    <Outcome title={delivered ? 'Delivered' : 'Approved'} Icon={CircleCheck} tone="good">
      <p role="status">
        {delivered
          ? 'The terminal has fetched the values. They were handed over once and are no longer kept. You can close this page.'
          : 'The values are sealed for the terminal that asked. Once it has fetched them, this page says so.'}
      </p>
      <h2 className="text-sm font-semibold text-ink">
        {choice.keys.length} {choice.keys.length === 1 ? 'key' : 'keys'} from{' '}
        <a href={`/bundles/${encodeURIComponent(choice.bundle.id)}`} className="link font-mono">
          {choice.bundle.name}
        </a>
      </h2>
      <ul className="divide-y divide-line rounded-md border border-line text-sm">
        {choice.keys.map((name) => (
          <li key={name} className="flex items-baseline justify-between gap-3 px-3 py-2">
            <span className="min-w-0 font-mono break-all text-ink">{name}</span>
            <a
              href={`/keys?query=${encodeURIComponent(name)}`}
              aria-label={`Rotate ${name}`}
              className="link shrink-0"
            >
              Rotate
            </a>
          </li>
        ))}
      </ul>
    </Outcome>
  )
}
