import type { RequestContext } from '../../../lib/calls/answers.ts'
import { useNow } from '../../../lib/page/use-now.ts'
import { ago, dateTime } from '../../../lib/words/time.ts'
import { exactText, visibleText } from '../../../lib/words/visible-text.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Laptop } from '../../../ui/icons.ts'
import { WholeWords } from '../../../ui/whole-words.tsx'
import { OpenFact } from '../card.tsx'

/** Where and when it was asked for. Everything else that the terminal reports and the server saw is folded away: what
 * decides is above. */
export function RequestPlace({ context }: { context: RequestContext }) {
  const { requester_meta: meta } = context
  const nowMs = useNow(1_000)
  const network = context.same_network === true ? ', from your network' : ''
  return (
    <OpenFact
      Icon={Laptop}
      label="Details"
      sentence={<Reported context={context} />}
      small={
        <>
          as the terminal reports (not verified){network},{' '}
          <span className="inline-block min-w-[8em]">{ago(meta.requested_at, nowMs)}</span>
        </>
      }
    >
      <RequestFacts context={context} />
    </OpenFact>
  )
}

function Reported({ context }: { context: RequestContext }) {
  const { requester_meta: meta } = context
  const user = meta['user'] ?? ''
  const folder = exactText(context.cwd ?? meta['cwd'] ?? '')
  const home = ['/home/', '/Users/'].map((base) => `${base}${user}/`).find((path) => folder.startsWith(path))
  const shown = user === '' || home === undefined ? folder : `~/${folder.slice(home.length)}`
  const host = visibleText(meta['hostname'] ?? '')
  if (host === '' && shown === '') return 'A terminal that does not say where it is'
  return (
    <>
      <bdi>{host}</bdi>
      {host !== '' && shown !== '' && ','}
      {shown !== '' && (
        <span className="block">
          <WholeWords text={shown} />
        </span>
      )}
    </>
  )
}

function RequestFacts({ context }: { context: RequestContext }) {
  const { requester_meta: meta, suggested_bundle_id: bundle, workspace, flags = null } = context
  const facts = {
    Time: dateTime(meta.requested_at),
    Address: visibleText(meta.ip),
    Host: visibleText(meta['hostname'] ?? ''),
    User: visibleText(meta['user'] ?? ''),
    System: visibleText(meta['os'] ?? ''),
    Client: visibleText(meta['client_version'] ?? ''),
    Folder: exactText(context.cwd ?? meta['cwd'] ?? ''),
    Bundle: visibleText(bundle ?? ''),
    Workspace: visibleText(workspace ?? ''),
    Flags: (flags ?? []).map(exactText).join(' '),
    Program: visibleText(meta.user_agent) || 'not reported',
    Format: meta.format,
  }
  const shown = Object.entries(facts).map(([label, text]) => [label, text && <WholeWords text={text} />])
  return (
    <Facts
      facts={Object.fromEntries(shown)}
      className="grid-cols-[5.5rem_1fr] gap-x-3 gap-y-1 text-xs [&>*>dd]:overflow-hidden"
    />
  )
}
