import { CircleCheck } from 'lucide-react'
import { workspacePath } from '../../../lib/workspace.ts'
import { Outcome } from '../outcome.tsx'
import type { Choice } from '../request-state.ts'

/** After a request for names was approved: what is listed, and whether the terminal has it. */
export function Listed({ choice, delivered }: { choice: Choice; delivered: boolean }) {
  const { keys, bundle, workspaceId } = choice
  const isBundle = bundle.id !== ''
  const path = isBundle ? `/bundles/${encodeURIComponent(bundle.id)}` : '/bundles'
  const thing = isBundle ? 'name' : 'bundle'
  return (
    <Outcome title={delivered ? 'Listed' : 'Approved'} Icon={CircleCheck} tone="good">
      <p role="status">
        {delivered
          ? 'The terminal has the list. No value left the server. You can close this page.'
          : 'The list is encrypted for this terminal. This page tells you when it has fetched it.'}
      </p>
      <p>
        {keys.length} {keys.length === 1 ? thing : `${thing}s`} of{' '}
        <a href={workspacePath(workspaceId, path)} className={isBundle ? 'link font-mono' : 'link'}>
          {bundle.name}
        </a>
      </p>
    </Outcome>
  )
}
