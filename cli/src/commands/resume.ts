import type { Command, Words } from '../command-line/command.ts'
import { parseWords } from '../command-line/parse-words.ts'
import { CliError, usageError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import type { KeptRequest } from '../state/kept-requests.ts'
import { pullCommand } from './pull.ts'
import { runCommand } from './run.ts'

export const resumeCommand: Command = {
  name: 'resume',
  operands: '[ID]',
  maxOperands: 1,
  summary: 'Go on with a request that was made with --resumable',
  details: [
    'Waits on for the approval and then does what the first command would have done, with the same flags and in the same folder. Without an ID it takes the newest request of this folder; the first characters of an ID are enough.',
  ],
  flags: [],
  examples: [
    {
      command: 'keyferry run dev/app --resumable -- npm run dev || keyferry resume',
      what: 'Go on after a lost connection',
    },
  ],
  run: async (words, parts) => await resume(words, parts),
}

/** Go on with a kept request.
 * @returns the exit code of the command that made it · @throws CliError expired: nothing is kept */
async function resume({ operands }: Words, parts: Parts): Promise<number> {
  const { keptRequests } = await import('../state/kept-requests.ts')
  const { clock } = parts
  const kept = choose(keptRequests(parts, clock.epochMs()), operands[0] ?? null, parts.cwd)
  const [verb = '', ...args] = kept.commandLine
  const command = [runCommand, pullCommand].find(({ name }) => name === verb)
  if (command === undefined) throw nothingKept('it was made by a command that this version does not know')
  const words = parseWords(command, withServer(args, kept.server))
  return await command.run(words, parts, kept.pending(clock.epochMs(), clock.monotonicMs()))
}

// The request lives on the server it was made at, whatever the settings say by now.
function withServer(args: readonly string[], server: string): readonly string[] {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const hasFlag = own.some((arg) => arg === '--server' || arg.startsWith('--server='))
  return hasFlag ? args : ['--server', server, ...args]
}

function choose(requests: readonly KeptRequest[], id: string | null, cwd: string): KeptRequest {
  if (id !== null) return chooseById(requests, id, cwd)
  const here = requests.find((request) => request.cwd === cwd)
  if (here !== undefined) return here
  const elsewhere = requests[0]
  if (elsewhere === undefined) throw nothingKept('nothing waits that could be resumed')
  throw usageError(
    'no request of this folder waits',
    `Go to ${printable(elsewhere.cwd)}, where one was made.`,
  )
}

function chooseById(requests: readonly KeptRequest[], id: string, cwd: string): KeptRequest {
  const [request, second] = id === '' ? [] : requests.filter((candidate) => candidate.id.startsWith(id))
  if (request === undefined) throw nothingKept(`no request ${printable(id, 60)} waits`)
  if (second !== undefined)
    throw usageError(`several requests begin with ${printable(id, 60)}`, 'Give more of it.')
  if (request.cwd === cwd) return request
  throw usageError('this request was made in another folder', `Go to ${printable(request.cwd)} first.`)
}

function nothingKept(message: string): CliError {
  return new CliError(
    EXIT.expired,
    message,
    'Only a request made with --resumable is kept, and only until it is used or expires. Run the command again.',
  )
}
