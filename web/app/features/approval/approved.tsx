import { CircleCheck } from 'lucide-react'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { Outcome } from './outcome.tsx'
import type { Choice } from './request-state.ts'

const ROW_HEIGHT_PX = 38

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
      <VirtualList
        label="Keys handed over"
        items={choice.keys}
        keyOf={(name) => name}
        rowHeight={ROW_HEIGHT_PX}
        render={(name) => <HandedOver name={name} />}
      />
    </Outcome>
  )
}

function HandedOver({ name }: { name: string }) {
  return (
    <div className="flex items-baseline justify-between gap-3 px-3 py-2 text-sm">
      <span className="min-w-0 font-mono break-all text-ink">{name}</span>
      <a
        href={`/keys?query=${encodeURIComponent(name)}`}
        aria-label={`Rotate ${name}`}
        className="link shrink-0"
      >
        Rotate
      </a>
    </div>
  )
}
