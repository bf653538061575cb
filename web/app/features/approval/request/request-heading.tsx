import type { RequestContext } from '../../../lib/calls/answers.ts'
import { classNames } from '../../../ui/class-names.ts'
import { ShownName } from '../shown-names.tsx'
import { commandText, MaskedArguments, RequestedCommand } from './requested-command.tsx'

const LONG_FROM = 42

/** The command, whole, and where the values go. */
export function RequestHeading({ context }: { context: RequestContext }) {
  const isLong = commandText(context).length >= LONG_FROM
  return (
    <>
      <h1
        className={classNames(
          'overflow-clip font-medium [overflow-clip-margin:4px]',
          isLong ? 'text-lg' : 'text-2xl [&_bdi]:tracking-[-0.035em]',
        )}
      >
        <RequestedCommand context={context} />
      </h1>
      <MaskedArguments context={context} />
      <Destination context={context} />
    </>
  )
}

function Destination({ context: { flags = null, requester_meta: meta } }: { context: RequestContext }) {
  if (meta['via'] !== 'pull' || flags === null) return null
  const [file = '-'] = flags.flatMap((flag) => /^--output=(.*)$/s.exec(flag)?.[1] ?? [])
  return (
    <p className="mt-1 font-medium">
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
