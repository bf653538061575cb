import type { RequestContext } from '../../../lib/calls/answers.ts'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { Notice } from '../../../ui/notice.tsx'
import { WORDS } from '../kind-words.ts'
import { kindOf } from '../request-state.ts'

const LONGEST_REASON = 500

/** Says that an AI agent asks, why, and what it can read; in red where the agent itself gets the values. */
export function AgentBanner({ context }: { context: RequestContext }) {
  const { requester_meta: meta } = context
  const agent = visibleText(meta['agent'] ?? '')
  if (agent === '') return null
  const reason = visibleText(meta['reason'] ?? '', LONGEST_REASON)
  const readsItself = meta['via'] === 'pull'
  return (
    <Notice tone={readsItself ? 'danger' : 'caution'} className="mt-3">
      <p>
        <strong>
          An AI agent (<bdi>{agent}</bdi>) asks
        </strong>
        {reason === '' ? ' and gives no reason.' : <>, because: “{reason}”</>}
      </p>
      <p className="mt-0.5">{WORDS[kindOf(context)].agent(readsItself)}</p>
    </Notice>
  )
}
