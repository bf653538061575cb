import type { RequestContext } from '../../../lib/calls/answers.ts'
import { shownArgument } from '../../../lib/words/shown-argument.ts'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { WholeWords } from '../../../ui/whole-words.tsx'
import { commandRisk } from './command-risk.ts'

const LONG_FROM = 160

/** The command that gets the values, whole; in red where it can print, send or run anything. */
export function RequestedCommand({ context }: { context: RequestContext }) {
  const { argv = null, requester_meta: meta } = context
  if (argv === null) return <ClaimedCommand text={visibleText(meta['command'] ?? '')} />
  const text = argv.map(shownArgument).join(' ')
  const risk = meta['via'] === 'pull' ? null : commandRisk(argv)
  const size = text.length < LONG_FROM ? 'text-lg' : 'text-base'
  return (
    <>
      <p className={`mt-1 overflow-hidden font-semibold ${size} ${risk === null ? '' : 'text-danger'}`}>
        <WholeWords text={text} />
      </p>
      {risk !== null && <p className="mt-0.5 text-sm font-medium text-danger">{risk}</p>}
      {context.is_argv_masked === true && <MaskedArguments argv={argv} />}
    </>
  )
}

function ClaimedCommand({ text }: { text: string }) {
  return (
    <>
      <p className="mt-1 overflow-hidden text-lg font-semibold">
        {text === '' ? 'Unknown command' : <WholeWords text={text} />}
      </p>
      <p className="mt-0.5 text-sm text-caution">The client did not send its whole command.</p>
    </>
  )
}

function MaskedArguments({ argv }: { argv: readonly string[] }) {
  const places = argv.flatMap((argument, index) => (argument.includes('***') ? [index + 1] : []))
  return (
    <p className="mt-0.5 text-sm text-ink-soft">
      The client left secrets out of {places.length === 1 ? 'word' : 'words'} {places.join(', ')}: they show
      ***.
    </p>
  )
}
