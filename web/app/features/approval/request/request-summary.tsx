import type { ReactNode } from 'react'
import type { RequestContext } from '../../../lib/calls/answers.ts'
import { useNow } from '../../../lib/page/use-now.ts'
import { ago } from '../../../lib/words/time.ts'
import { exactText, visibleText } from '../../../lib/words/visible-text.ts'
import { WholeWords } from '../../../ui/whole-words.tsx'
import { RequestedCommand } from './requested-command.tsx'

type SummaryProps = { context: RequestContext; workspace: string | null; account: string }

/** Everything that decides, in one look: what the terminal reports, then what the server knows. */
export function RequestSummary({ context, workspace, account }: SummaryProps) {
  const { requester_meta: meta, suggested_bundle_id: bundle, workspace: named } = context
  const claim = (field: string) => visibleText(meta[field] ?? '')
  const place = [
    ['for', bundle === null ? '' : visibleText(bundle)],
    ['in workspace', named === null ? '' : visibleText(named)],
    ['on', claim('hostname')],
    ['as', claim('user')],
    ['in', exactText(context.cwd ?? meta['cwd'] ?? '')],
  ].filter(([, text]) => text !== '')
  return (
    <section aria-label="Requested by" className="mt-4 rounded-lg border border-line bg-surface">
      <div className="px-4 py-3 sm:px-5">
        <p className="text-xs text-ink-soft">
          Reported by the terminal <span className="text-caution">(not verified)</span>
        </p>
        <RequestedCommand context={context} />
        <p className="mt-1 overflow-hidden text-sm">
          {place.map(([word, text]) => (
            <span key={word} className="mr-1.5">
              <span className="text-ink-soft">{word}</span> <WholeWords text={text ?? ''} />
            </span>
          ))}
        </p>
      </div>
      <Known meta={meta} workspace={workspace} account={account} />
    </section>
  )
}

type KnownProps = { meta: RequestContext['requester_meta']; workspace: string | null; account: string }

function Known({ meta, workspace, account }: KnownProps) {
  const nowMs = useNow(1_000)
  return (
    <p className="flex flex-wrap gap-x-5 gap-y-1 rounded-b-lg border-t border-line bg-sunken/60 px-4 py-2.5 text-sm sm:px-5">
      <Fact label="Requested">
        {ago(meta.requested_at, nowMs)} from <span className="font-mono">{visibleText(meta.ip)}</span>
      </Fact>
      <Fact label="Workspace">
        <bdi>{workspace ?? 'not chosen yet'}</bdi>
      </Fact>
      <Fact label="You are">
        <bdi>{account}</bdi>
      </Fact>
    </p>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span>
      <span className="text-ink-soft">{label}</span> {children}
    </span>
  )
}
