import type { RequestContext } from '../../../lib/calls/answers.ts'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { WholeWords } from '../../../ui/whole-words.tsx'

const CLAIMS = [
  ['hostname', 'Host'],
  ['user', 'User'],
  ['os', 'System'],
  ['client_version', 'Client'],
  ['cwd', 'Folder'],
  ['command', 'Command'],
] as const

/** All that the terminal reports about itself, folded away: the summary has what decides. */
export function RequestFacts({ meta }: { meta: RequestContext['requester_meta'] }) {
  const claims = CLAIMS.flatMap(([field, label]) => {
    const text = visibleText(meta[field] ?? '')
    return text === '' ? [] : [{ field, label, text }]
  })
  const agent = {
    field: 'user_agent',
    label: 'Program',
    text: visibleText(meta.user_agent) || 'not reported',
  }
  const format = { field: 'format', label: 'Format', text: meta.format }
  return (
    <details className="rounded-lg border border-line bg-surface px-4 py-2.5 text-sm sm:px-5">
      <summary className="rounded-sm">Everything the terminal reported</summary>
      <dl className="mt-2 mb-1 grid grid-cols-[4.75rem_1fr] gap-x-3 gap-y-1.5 sm:grid-cols-[5.5rem_1fr]">
        {[...claims, agent, format].map(({ field, label, text }) => (
          <div key={field} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="min-w-0 overflow-hidden">
              <WholeWords text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
