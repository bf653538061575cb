import { CircleCheck } from 'lucide-react'
import { workspacePath } from '../../../lib/workspace.ts'
import { Outcome } from '../outcome.tsx'
import type { Choice } from '../request-state.ts'

/** After a deposit was approved: what was stored, and whether the terminal knows. */
export function Stored({ choice, isTold }: { choice: Choice; isTold: boolean }) {
  const { keys, bundle, workspaceId } = choice
  const path = bundle.id === '' ? '/bundles' : `/bundles/${encodeURIComponent(bundle.id)}`
  return (
    <Outcome title="Changes stored" Icon={CircleCheck} tone="good">
      <p role="status">
        {isTold
          ? 'The terminal shows the result. You can close this page.'
          : 'The terminal shows this within seconds.'}
      </p>
      <p>
        {keys.length} {keys.length === 1 ? 'variable' : 'variables'} changed in{' '}
        <a href={workspacePath(workspaceId, path)} className="link font-mono">
          {bundle.name}
        </a>
      </p>
    </Outcome>
  )
}
