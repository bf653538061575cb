import { CircleCheck } from 'lucide-react'
import { workspacePath } from '../../lib/workspace.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { Outcome } from './outcome.tsx'
import type { Choice } from './request-state.ts'

const ROW_HEIGHT_PX = 38

/** After approving: what was shared, and whether the terminal has it. */
export function Approved({ choice, delivered }: { choice: Choice; delivered: boolean }) {
  return (
    <Outcome title={delivered ? 'Delivered' : 'Approved'} Icon={CircleCheck} tone="good">
      <p role="status">
        {delivered
          ? 'The terminal has fetched the values, and the server has deleted its copy. You can close this page.'
          : 'The values are encrypted for this terminal. This page tells you when it has fetched them.'}
      </p>
      <h2 className="text-sm font-semibold text-ink">
        {choice.keys.length} {choice.keys.length === 1 ? 'key' : 'keys'} from{' '}
        <a
          href={workspacePath(choice.workspaceId, `/bundles/${encodeURIComponent(choice.bundle.id)}`)}
          className="link font-mono"
        >
          {choice.bundle.name}
        </a>
      </h2>
      <VirtualList
        label="Shared keys"
        items={choice.keys}
        keyOf={(name) => name}
        rowHeight={ROW_HEIGHT_PX}
        render={(name) => <p className="px-3 py-2 font-mono text-sm break-all text-ink">{name}</p>}
      />
    </Outcome>
  )
}
