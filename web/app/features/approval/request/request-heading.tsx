import type { RequestContext } from '../../../lib/calls/answers.ts'
import { useNow } from '../../../lib/page/use-now.ts'
import { ago, dateTime } from '../../../lib/words/time.ts'
import { exactText, visibleText } from '../../../lib/words/visible-text.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Facts } from '../../../ui/facts.tsx'
import { WholeWords } from '../../../ui/whole-words.tsx'
import { ShownName } from '../shown-names.tsx'
import { commandText, MaskedArguments, RequestedCommand } from './requested-command.tsx'

const LONG_FROM = 60

/** The command, where the values go, and what comes between. */
export function RequestHeading({ context }: { context: RequestContext }) {
  const isLong = commandText(context).length >= LONG_FROM
  return (
    <div>
      <p className="text-xs text-ink-soft">
        Reported by the terminal <span className="text-caution">(not verified)</span>
      </p>
      <h1 className={classNames('overflow-clip font-semibold', isLong ? 'text-lg' : 'text-lg')}>
        <RequestedCommand context={context} />
      </h1>
      <MaskedArguments context={context} />
      <Destination context={context} />
    </div>
  )
}

function Destination({ context: { flags = null, requester_meta: meta } }: { context: RequestContext }) {
  if (meta['via'] !== 'pull' || flags === null) return null
  const [file = '-'] = flags.flatMap((flag) => /^--output=(.*)$/s.exec(flag)?.[1] ?? [])
  return (
    <p className="mt-0.5 text-sm font-medium">
      {flags[0] === 'edit' ? (
        'Opens in an editor'
      ) : file === '-' ? (
        'Prints to the terminal'
      ) : (
        <>
          Writes to <ShownName name={file} />
        </>
      )}
    </p>
  )
}

/** Where and when it was asked for. */
export function RequestPlace({ context }: { context: RequestContext }) {
  const { requester_meta: meta } = context
  const nowMs = useNow(1_000)
  const user = meta['user'] ?? ''
  const folder = exactText(context.cwd ?? meta['cwd'] ?? '')
  const home = ['/home/', '/Users/'].map((base) => `${base}${user}/`).find((path) => folder.startsWith(path))
  const shown = user === '' || home === undefined ? folder : `~/${folder.slice(home.length)}`
  const texts = [visibleText(meta['hostname'] ?? ''), shown].filter((text) => text !== '')
  return (
    <p className="overflow-clip text-sm">
      {texts.map((text) => (
        <span key={text}>
          <WholeWords text={text} /> ·{' '}
        </span>
      ))}
      {ago(meta.requested_at, nowMs)}
    </p>
  )
}

/** Everything that the terminal reports and the server saw, folded away: what decides is above. */
export function RequestFacts({ context }: { context: RequestContext }) {
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
    <details className="text-sm">
      <summary className="rounded-sm py-1">Details</summary>
      <Facts
        facts={Object.fromEntries(shown)}
        className="mt-1 grid-cols-[5.5rem_1fr] gap-x-3 gap-y-1.5 [&>*>dd]:overflow-hidden"
      />
    </details>
  )
}
