import type { RequestContext } from '../../lib/answers.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Notice } from '../../ui/notice.tsx'
import type { RequestKind } from './request-state.ts'

const LONGEST_REASON = 500

type AgentBannerProps = { meta: RequestContext['requester_meta']; kind: RequestKind }

/** Says that an AI agent asks, why, and what it can read; in red where the agent itself gets the values. */
export function AgentBanner({ meta, kind }: AgentBannerProps) {
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
      <p className="mt-0.5">{kind === 'delivery' ? readingText(readsItself) : TEXTS[kind]}</p>
    </Notice>
  )
}

const TEXTS = {
  deposit: 'It may have chosen the values, and it may know them.',
  names: 'It reads these names itself, and its transcript keeps them.',
} as const

function readingText(readsItself: boolean): string {
  return readsItself
    ? 'It reads every value itself, and its transcript keeps them.'
    : 'It can read everything that this program prints.'
}
