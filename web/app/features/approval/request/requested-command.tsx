import type { RequestContext } from '../../../lib/calls/answers.ts'
import { shownArgument } from '../../../lib/words/shown-argument.ts'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { WholeWords } from '../../../ui/whole-words.tsx'

/** The command that gets the values, whole. */
export function RequestedCommand({ context }: { context: RequestContext }) {
  return <WholeWords text={commandText(context) || 'Unknown command'} />
}

/** As a person types it in a shell. What the client pulls is in its flags. */
export function commandText({ argv = null, flags = null, requester_meta: meta }: RequestContext): string {
  if (meta['via'] === 'pull' && flags !== null) return ['keyferry', ...flags].map(shownArgument).join(' ')
  return argv === null ? visibleText(meta['command'] ?? '') : argv.map(shownArgument).join(' ')
}

/** Which arguments the client left out of the command. */
export function MaskedArguments({ context: { argv = null, is_argv_masked } }: { context: RequestContext }) {
  if (argv === null || is_argv_masked !== true) return null
  const places = argv.flatMap((argument, index) => (argument.includes('***') ? [index + 1] : []))
  return (
    <p className="mt-0.5 text-sm text-ink-soft">
      The client left secrets out of {places.length === 1 ? 'word' : 'words'} {places.join(', ')}: they show
      ***.
    </p>
  )
}
