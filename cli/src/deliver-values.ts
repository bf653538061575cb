import { basename } from 'node:path'
import { eventOutput, NO_KEYBOARD } from './base/announce.ts'
import { CliError, EXIT } from './base/cli-error.ts'
import type { Output, Parts } from './base/parts.ts'
import { withResolvers } from './base/with-resolvers.ts'
import type { Approval, DeliverOptions, KeyferryErrorCode } from './client-types.ts'
import { Words } from './command-line/command.ts'
import { requireReader } from './commands/pull.ts'
import { deliver } from './delivery/deliver.ts'
import { ownValuesOf, readValuesRequest, type ValuesOptions } from './flags/request-flags.ts'
import { systemParts, workingFolder } from './real-parts.ts'
import { fileOutput } from './terminal/streams.ts'

type Fetched = { readonly values: Record<string, string> }
type DeliveryFailure = { readonly code: KeyferryErrorCode; readonly message: string; readonly next: string }

/** Get values for a program that imports the client, as `keyferry pull` does. Never throws for a refused or failed
 * delivery. */
export async function deliverValues(options: DeliverOptions): Promise<Fetched | DeliveryFailure> {
  const aborted = withResolvers<DeliveryFailure>()
  const parts = partsOf(options, () => aborted.resolve(ABORTED))
  if (options.signal?.aborted) return ABORTED
  return await Promise.race([aborted.promise, valuesOf(options, parts).catch(failureOf)])
}

const ABORTED: DeliveryFailure = {
  code: 'aborted',
  message: 'the delivery was aborted',
  next: 'The program got no values.',
}

async function valuesOf(options: DeliverOptions, parts: Parts): Promise<Fetched> {
  const words = wordsOf(options)
  const request: ValuesOptions = await readValuesRequest(words, parts)
  requireReader(request.agent, words)
  const command = [basename(process.argv0), ...process.argv.slice(1)]
  const { values } = await deliver(
    { ...request, own: await ownValuesOf(request), format: '.env', command, via: 'run' },
    parts,
  )
  return { values: Object.fromEntries(values) }
}

// The options are flags of the command by other names, so that both mean the same.
function wordsOf(options: DeliverOptions): Words {
  const { bundle, keys = [], optionalKeys = [], allowNames = [] } = options
  const given = [
    ['workspace', options.workspace ?? []],
    ['keys', keys],
    ['optional', optionalKeys],
    ['server', options.server ?? []],
    ['as', options.as ?? []],
    ['reason', options.reason ?? []],
    ['allow-name', allowNames],
    ['for-agent', options.forAgent === true ? '' : []],
    ['no-open', options.open === true ? [] : ''],
    ['no-qr', ''],
  ] as const
  const flags = given.map(([name, value]) => [name, typeof value === 'string' ? [value] : value] as const)
  return new Words({
    operands: bundle === undefined ? [] : [bundle],
    program: null,
    line: [],
    flags: new Map(flags.filter(([, values]) => values.length > 0)),
  })
}

// The terminal and the signals belong to the program.
function partsOf({ signal, onApproval }: DeliverOptions, onAborted: () => void): Parts {
  return {
    ...systemParts(process.env),
    cwd: workingFolder(),
    keyboard: NO_KEYBOARD,
    stderr: onApproval === undefined ? noTerminal(fileOutput(2)) : eventsTo(onApproval),
    view: onApproval === undefined ? 'quiet' : 'json',
    startProgram: noProgram,
    superviseProgram: noProgram,
    leaveKeysTo: noProgram,
    atInterrupt: (cleanUp) => {
      const end = (): void => void Promise.resolve(cleanUp()).finally(onAborted)
      // A signal says only once that it aborted, perhaps before there was anything to end.
      if (signal?.aborted) queueMicrotask(end)
      else signal?.addEventListener('abort', end, { once: true })
      return () => signal?.removeEventListener('abort', end)
    },
  }
}

async function noProgram(): Promise<never> {
  throw new Error('a program that imports the client starts none')
}

function noTerminal(output: Output): Output {
  return { columns: output.columns, rows: output.rows, write: output.write, isTerminal: false }
}

function eventsTo(onApproval: (approval: Approval) => void): Output {
  return eventOutput(({ event, approval_url: link, user_code: checkCode, expires_in: seconds }) => {
    if (event !== 'asked') return
    onApproval({ link: String(link), checkCode: String(checkCode), expiresInSeconds: Number(seconds) })
  })
}

const CODES: Readonly<Record<number, KeyferryErrorCode>> = {
  [EXIT.usage]: 'usage',
  [EXIT.denied]: 'denied',
  [EXIT.expired]: 'expired',
  [EXIT.network]: 'network',
  [EXIT.refused]: 'refused',
}

function failureOf(error: unknown): DeliveryFailure {
  if (!(error instanceof CliError)) throw error
  return { code: CODES[error.exitCode] ?? 'failed', message: error.message, next: error.next }
}
