import { EXIT } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable, shownArgument } from '../base/printable.ts'
import { VERSION } from '../base/version.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { SERVER_FLAG, serverHere } from '../flags/library-flags.ts'
import { clockText, type ServerFacts } from '../server/server-facts.ts'
import { NoAnswer } from '../server/server-failure.ts'
import type { KeptRequest } from '../state/kept-requests.ts'
import { remaining } from '../terminal/waiting-view.ts'

export const statusCommand: Command = {
  name: 'status',
  summary: 'Show the server and the pending requests of this machine',
  details: [
    'Lists requests made with --resumable; other requests are not stored. The exit code is 5 if the server is unreachable and 6 if it is not a Keyferry server.',
  ],
  flags: [SERVER_FLAG, flagOf('--json', 'One JSON object')],
  examples: {
    'keyferry status': 'Check the server and list pending requests',
  },
  run: async (words, parts) => {
    const server = await serverHere(words, parts)
    const { keptRequests } = await import('../state/kept-requests.ts')
    const facts = await factsOf(server, parts)
    const nowMs = parts.clock.epochMs()
    const seen: StatusFacts = { server, facts, waiting: keptRequests(parts, nowMs), nowMs }
    parts.stdout.write(words.has('json') ? asJson(seen) : asText(seen))
    if (facts === null) return EXIT.network
    return facts.version === null ? EXIT.refused : EXIT.ok
  },
}

type StatusFacts = {
  readonly server: string
  readonly facts: ServerFacts | null
  readonly waiting: readonly KeptRequest[]
  readonly nowMs: number
}

async function factsOf(server: string, parts: Parts): Promise<ServerFacts | null> {
  const { serverFacts } = await import('../server/server-facts.ts')
  try {
    return await serverFacts(server, parts)
  } catch (error) {
    if (error instanceof NoAnswer) return null
    throw error
  }
}

function asJson({ server, facts, waiting, nowMs }: StatusFacts): string {
  return `${JSON.stringify({
    client_version: VERSION,
    server,
    is_reachable: facts !== null,
    server_version: facts?.version ?? null,
    auth_mode: facts?.authMode ?? null,
    clock_ahead_seconds: facts?.clockAheadSeconds ?? null,
    round_trip_ms: facts?.roundTripMs ?? null,
    waiting: waiting.map(({ id, server: where, commandLine, cwd, expiresAtMs }) => ({
      id,
      server: where,
      command: commandLine,
      folder: cwd,
      seconds_left: Math.ceil((expiresAtMs - nowMs) / 1000),
    })),
  })}\n`
}

function asText({ server, facts, waiting, nowMs }: StatusFacts): string {
  const rows = [
    ['Client', VERSION],
    ['Server', server],
    ...(facts === null ? [['State', 'unreachable; run keyferry doctor']] : factRows(facts)),
    [
      'Waiting',
      waiting.length === 0 ? 'no pending requests' : `${waiting.length}; continue with keyferry resume`,
    ],
    ...waiting.map(({ id, expiresAtMs, commandLine }) => [
      '',
      `${id.slice(0, 8)}  ${remaining(expiresAtMs - nowMs)} left  keyferry ${printable(commandLine.map(shownArgument).join(' '))}`,
    ]),
  ]
  return rows.map(([name = '', value = '']) => `${name.padEnd(9)}${value}\n`).join('')
}

function factRows({ version, authMode, clockAheadSeconds, roundTripMs }: ServerFacts): string[][] {
  return [
    ['State', version === null ? 'not a Keyferry server' : `ready, ${roundTripMs} ms away`],
    ['Version', version ?? 'unknown'],
    ['Sign-in', authMode ?? 'unknown'],
    ['Clock', clockText(clockAheadSeconds)],
  ]
}
