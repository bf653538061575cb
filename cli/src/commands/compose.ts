import { eventOutput } from '../base/announce.ts'
import { CliError, EXIT, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import { REQUEST_FLAGS, readValuesRequest } from '../flags/request-flags.ts'
import { FOR_AGENT_FLAG, requireReader } from './pull.ts'

export const composeCommand: Command = {
  name: 'compose',
  operands: 'up|down|metadata [SERVICE]',
  summary: 'Provide values to services of Docker Compose',
  details: [
    'Docker Compose 5.2 or newer runs this command for a service with provider type keyferry. The services that depend on it get the values as environment variables of the same names.',
    'Compose passes the values to the containers, so docker inspect shows them. If an AI agent started it, it needs --for-agent, as pull does.',
  ],
  flags: [
    flagOf('--project-name NAME', 'The project of Compose'),
    flagOf('-b, --bundle NAME', 'The bundle to request'),
    ...REQUEST_FLAGS,
    FOR_AGENT_FLAG,
  ],
  examples: {
    'keyferry compose metadata': 'What Compose reads to learn the options',
    'keyferry compose --project-name shop up --bundle dev/app secrets': 'What Compose runs',
  },
  run: async (words, parts) => {
    const [verb] = words.operands
    if (verb === 'metadata') parts.stdout.write(`${JSON.stringify(METADATA)}\n`)
    else if (verb === 'up') await up(words, parts)
    else if (verb !== 'down')
      throw usageError('compose needs up, down or metadata', 'Docker Compose runs it.')
    return EXIT.ok
  },
}

const PARAMETERS = Object.entries({
  bundle: 'The bundle to request',
  keys: 'Request only these variables, separated by commas',
  workspace: 'Name or id of the workspace',
  server: 'Address of the server',
}).map(([name, description]) => ({ name, description, required: false, type: 'string' }))

const METADATA = {
  description: composeCommand.summary,
  up: { parameters: PARAMETERS },
  down: { parameters: [] },
}

/** Request the values and give them to Compose.
 * Source: docs/extension.md of Docker Compose, messages on stdout */
async function up(words: Words, parts: Parts): Promise<void> {
  const writeMessage = (type: 'info' | 'error' | 'rawsetenv', message: string): void =>
    parts.stdout.write(`${JSON.stringify({ type, message })}\n`)
  try {
    const bundle = words.text('bundle')
    const options = await readValuesRequest(words.withOperands(bundle === null ? [] : [bundle]), parts)
    requireReader(options.agent, words)
    const via = options.agent === null ? 'run' : 'pull'
    const { deliver } = await import('../delivery/deliver.ts')
    const command = ['docker', 'compose', '--project-name', words.text('project-name') ?? '', 'up']
    const request = { ...options, format: 'sh', via } as const
    const stderr = eventOutput(follow)
    const delivered = await deliver({ ...request, command }, { ...parts, stderr, view: 'json' })
    for (const [name, value] of delivered.values) writeMessage('rawsetenv', `${name}=${value}`)
  } catch (error) {
    if (error instanceof CliError) writeMessage('error', `${error.message}. ${error.next}`)
    throw error
  }

  function follow({ event, approval_url, user_code, command }: Readonly<Record<string, unknown>>): void {
    if (event === 'asked') writeMessage('info', `approve at ${String(approval_url)} (${String(user_code)})`)
    if (event === 'release_needed') writeMessage('info', `run ${String(command)} with the code from the page`)
    if (event === 'approver_needed') writeMessage('info', 'another person has to approve')
    if (event === 'second_approval_needed') writeMessage('info', 'a second person has to approve')
  }
}
