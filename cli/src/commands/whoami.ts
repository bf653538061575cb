import { EXIT } from '../base/cli-error.ts'
import { object, shown } from '../base/shape.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { SERVER_FLAG, serverHere } from '../flags/library-flags.ts'
import { callLibrary, type Library } from '../server/library-call.ts'

export const whoamiCommand: Command = {
  name: 'whoami',
  summary: 'Show the identity of this client',
  details: [
    'With a machine credential in the environment, the client acts as that machine. Without one, it has no identity, and a person approves each request in the browser. On a server without accounts, you are its owner, local.',
  ],
  flags: [SERVER_FLAG, flagOf('--json', 'One JSON object')],
  examples: {
    'keyferry whoami': 'Show the machine, or that a person approves',
  },
  run: async (words, parts) => {
    const server = await serverHere(words, parts)
    const identity = await identityAt({ server, workspace: null, parts: { ...parts, view: 'quiet' } })
    parts.stdout.write(
      words.has('json') ? `${JSON.stringify({ server, ...identity })}\n` : `${text(identity, server)}\n`,
    )
    return EXIT.ok
  },
}

type CallerIdentity = {
  readonly kind: 'machine' | 'person' | 'nobody'
  readonly name: string | null
  readonly workspace: string | null
  readonly proof: string | null
}

async function identityAt(library: Library): Promise<CallerIdentity> {
  const { server, parts } = library
  const { findCredential, findToken } = await import('../machine/credential.ts')
  const credential = findCredential(null, server, parts)
  const token = findToken(parts)
  if (token !== null) {
    const { name, workspace } = await callLibrary(
      { ...library, token },
      { name: 'getOwnMachine', shape: MACHINE },
    )
    return { kind: 'machine', name, workspace: workspace.name, proof: credential?.proof ?? null }
  }
  if (credential !== null) {
    return { kind: 'machine', name: credential.machineId, workspace: null, proof: credential.proof }
  }
  const { serverFacts } = await import('../server/server-facts.ts')
  const { authMode } = await serverFacts(server, parts)
  if (authMode !== 'local') return { kind: 'nobody', name: null, workspace: null, proof: null }
  const { username, tenant } = await callLibrary(library, { name: 'getMe', shape: PERSON })
  return { kind: 'person', name: username, workspace: tenant.name, proof: null }
}

// A machine has a name in its workspace, a person a username in a tenant.
const MACHINE = object({ name: shown(100), workspace: object({ name: shown(80) }) })
const PERSON = object({ username: shown(100), tenant: object({ name: shown(80) }) })

function text({ kind, name, workspace, proof }: CallerIdentity, server: string): string {
  const place = workspace === null ? `at ${server}` : `in workspace "${workspace}" at ${server}`
  if (kind === 'machine') return `machine ${name}, by ${proof}, ${place}`
  if (kind === 'person') return `${name} ${place}, without sign-in`
  return `not signed in ${place}: a person approves each request in the browser`
}
