import type { DenialReason, ReleaseWay } from '@keyferry/contract'
import { CliError, EXIT, refusedError } from '../base/cli-error.ts'
import type { ExchangeAnswer } from '../base/exchange.ts'
import { errorBody } from './server-failure.ts'

/*
 * How a request ends without values: it expires, a person denies it, or the server lets no one approve it.
 */

/** Refuse a request that the server lets no one approve: every approval must return in a way that this client did not
 * offer. The request expires by itself.
 * @throws CliError refused */
export function requireReturnable(
  { assurance }: Record<string, unknown>,
  offered: readonly ReleaseWay[],
  server: string,
): void {
  const needsLoopback = assurance === 'local' && !offered.includes('loopback')
  if (!needsLoopback && (assurance !== 'bound' || offered.length > 0)) return
  const [why, next] = UNAPPROVABLE.release_required
  throw refusedError(`this request cannot be approved at ${server}: ${why}`, next)
}

/** The server is too old for this kind of request. */
export function unknownKind(server: string): CliError {
  return refusedError(
    `${server} does not know this kind of request`,
    'Update the server, or use the web page: keyferry open.',
  )
}

/** The error for a request that was not approved in time. */
export function expired(): CliError {
  return new CliError(
    EXIT.expired,
    'the request expired before it was approved',
    'Nothing was delivered. Run the command again and approve it within the time shown.',
  )
}

/** Why a request cannot be approved, and what to do. */
const UNAPPROVABLE: Readonly<Record<DenialReason, readonly [why: string, next: string]>> = {
  release_required: [
    'the approval must return to the terminal that made the request',
    'Run the command in a terminal on the computer of your browser, without --no-open.',
  ],
  agents_denied: [
    'the rules of the bundle deny AI agents',
    'Run the command yourself, or ask an owner to change the rules.',
  ],
  owner_approves: [
    'only an owner may approve requests for the bundle',
    'Run the command again, and ask an owner on its page.',
  ],
  named_approves: [
    'only people that the rules name may approve requests for the bundle',
    'Run the command again, and ask one of them on its page.',
  ],
  no_such_bundle: [
    'the person who decided has no bundle of this name',
    'Check the name: `keyferry ls` lists the bundles.',
  ],
  second_person: [
    'two people must approve requests for the bundle',
    'Run the command again when two people can approve, or ask an owner to change the rules.',
  ],
}

function denied(reason: unknown): CliError {
  const known = Object.entries(UNAPPROVABLE).find(([code]) => code === reason)
  if (known === undefined) {
    return new CliError(
      EXIT.denied,
      'the request was denied',
      'Nothing was delivered. If that was a mistake, run the command again.',
    )
  }
  const [why, next] = known[1]
  return new CliError(EXIT.denied, `the request was denied: ${why}`, `Nothing was delivered. ${next}`)
}

/** What an error says of a request that is gone for a reason that the server does not know. */
export const UNKNOWN_REQUEST = 'request expired or unknown, or another program collected it'

/** A crash lost the request. Nobody denied it, and it was not withdrawn. */
export class LostRequest extends CliError {}

/** The error for a request that the server does not have any more, or never had. */
export function ended(answer: ExchangeAnswer): CliError {
  const { code, details } = errorBody(answer)
  if (code === 'request_expired') return expired()
  if (code === 'request_denied') return denied(details['reason'])
  const next = 'Nothing was delivered. Run the command again to make a new request.'
  if (code === 'request_later')
    return new CliError(EXIT.expired, 'the next run of this command was approved', 'Run the command again.')
  if (details['lost'] === true) return new LostRequest(EXIT.expired, 'the server lost the request', next)
  return new CliError(EXIT.expired, UNKNOWN_REQUEST, next)
}
