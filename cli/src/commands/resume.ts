import { CliError, EXIT, usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import type { Command } from '../command-line/command.ts'
import { parseWords, viewOf } from '../command-line/parse-words.ts'
import type { KeptRequest } from '../state/kept-requests.ts'
import { pullCommand } from './pull.ts'
import { runCommand } from './run.ts'

export const resumeCommand: Command = {
  name: 'resume',
  operands: '[ID]',
  summary: 'Continue a request that was made with --resumable',
  details: [
    'Waits for the approval and then does what the first command would have done, with the same flags. Run it in the same folder. Without an ID it continues the newest request of this folder; the first characters of an ID are enough.',
  ],
  flags: [],
  examples: {
    'keyferry run dev/app --resumable -- npm run dev || keyferry resume': 'Continue after a lost connection',
  },
  run: async ({ operands }, parts) => {
    const { keptRequests, pendingOf } = await import('../state/kept-requests.ts')
    const { clock } = parts
    const kept = choose(keptRequests(parts, clock.epochMs()), operands[0] ?? null, parts.cwd)
    const [verb = '', ...args] = kept.commandLine
    const command = [runCommand, pullCommand].find(({ name }) => name === verb)
    if (command === undefined)
      throw nothingKept('this version does not know the command that made the request')
    const words = parseWords(command, withServer(args, kept.server))
    return await command.run(words, { ...parts, view: viewOf(words) }, pendingOf(kept, clock))
  },
}

// The request exists on the server that it was made at, even if the settings have changed.
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
  if (elsewhere === undefined) throw nothingKept('no pending request to resume')
  throw usageError(
    'no pending request in this folder',
    `Change to ${printable(elsewhere.cwd)}, where a request is pending.`,
  )
}

function chooseById(requests: readonly KeptRequest[], id: string, cwd: string): KeptRequest {
  const [request, second] = id === '' ? [] : requests.filter((candidate) => candidate.id.startsWith(id))
  if (request === undefined) throw nothingKept(`no pending request ${printable(id, 60)}`)
  if (second !== undefined)
    throw usageError(`several requests begin with ${printable(id, 60)}`, 'Give more characters of the ID.')
  if (request.cwd === cwd) return request
  throw usageError('this request was made in another folder', `Change to ${printable(request.cwd)} first.`)
}

function nothingKept(message: string): CliError {
  return new CliError(
    EXIT.expired,
    message,
    'keyferry keeps only requests made with --resumable, until they are used or expire. Run the command again.',
  )
}
