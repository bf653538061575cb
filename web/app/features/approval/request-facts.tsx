import type { ReactNode } from 'react'
import type { RequestContext } from '../../lib/answers.ts'
import { ago } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { WholeWords } from '../../ui/whole-words.tsx'

const CLAIMS = [
  ['hostname', 'Host'],
  ['user', 'User'],
  ['os', 'System'],
  ['client_version', 'Client'],
  ['cwd', 'Folder'],
  ['command', 'Command'],
] as const

/** Who asks: what the server saw, and apart from it what the terminal claims of itself. */
export function RequestFacts({ meta }: { meta: RequestContext['requester_meta'] }) {
  const nowMs = useNow(1_000)
  const claims = CLAIMS.flatMap(([field, label]) => {
    const text = visibleText(meta[field] ?? '')
    return text === '' ? [] : [{ field, label, text }]
  })
  return (
    <section aria-labelledby="who-asks" className="rounded-lg border border-line bg-surface">
      <h2 id="who-asks" className="px-4 pt-4 text-sm font-semibold sm:px-5">
        Who asks
      </h2>
      <dl className="grid grid-cols-[4.75rem_1fr] gap-x-3 sm:grid-cols-[5.5rem_1fr] gap-y-1.5 px-4 pt-2 pb-4 text-sm sm:px-5">
        <Fact label="Address">
          <span className="font-mono">{visibleText(meta.ip)}</span>
        </Fact>
        <Fact label="Asked">{ago(meta.requested_at, nowMs)}</Fact>
      </dl>
      <div className="rounded-b-lg border-t border-line bg-sunken/60 px-4 py-3 sm:px-5">
        <h3 className="text-sm font-semibold">
          Claimed by the terminal <span className="font-normal text-caution">(not verified)</span>
        </h3>
        <dl className="mt-2 grid grid-cols-[4.75rem_1fr] gap-x-3 sm:grid-cols-[5.5rem_1fr] gap-y-1.5 text-sm">
          {claims.map(({ field, label, text }) => (
            <Fact key={field} label={label}>
              <WholeWords text={text} />
            </Fact>
          ))}
          {meta['client_version'] === undefined && (
            <Fact label="Client">
              <WholeWords text={visibleText(meta.user_agent) || 'not said'} />
            </Fact>
          )}
        </dl>
      </div>
    </section>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{label}</dt>
      <dd className="min-w-0 overflow-hidden">{children}</dd>
    </>
  )
}
