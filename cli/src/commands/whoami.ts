import type { Command, Words } from '../command-line/command.ts'
import { EXIT } from '../ground/exit-code.ts'
import { isObject } from '../ground/json-object.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import { callLibrary, type Library, unknownAnswer } from '../server/library-call.ts'
import { SERVER_FLAG, serverHere } from './server-flag.ts'

export const whoamiCommand: Command = {
  name: 'whoami',
  operands: '',
  maxOperands: 0,
  summary: 'Show the identity of this client',
  details: [
    'With a machine credential in the environment, the client acts as that machine. Without one, it has no identity, and a person approves each request in the browser. On a server without accounts, you are its owner, local.',
  ],
  flags: [SERVER_FLAG, { name: 'json', summary: 'One JSON object' }],
  examples: [{ command: 'keyferry whoami', what: 'Show the machine, or that a person approves' }],
  run: async (words, parts) => await whoami(words, parts),
}

type Identity = {
  readonly kind: 'machine' | 'person' | 'nobody'
  readonly name: string | null
  readonly workspace: string | null
  readonly proof: string | null
}

async function whoami(words: Words, parts: Parts): Promise<number> {
  const server = await serverHere(words, parts)
  const identity = await identityAt({ server, workspace: null, view: 'quiet' }, parts)
  parts.stdout.write(
    words.has('json') ? `${JSON.stringify({ server, ...identity })}\n` : `${text(identity, server)}\n`,
  )
  return EXIT.ok
}

async function identityAt(library: Library, parts: Parts): Promise<Identity> {
  const { findCredential, findToken } = await import('../machine/credential.ts')
  const credential = findCredential(null, library.server, parts)
  const token = findToken(parts)
  if (token !== null) {
    const named = await callNamed({ ...library, token }, '/api/v1/machine', parts)
    return { kind: 'machine', ...named, proof: credential?.proof ?? null }
  }
  if (credential !== null) {
    return { kind: 'machine', name: credential.machineId, workspace: null, proof: credential.proof }
  }
  const { serverFacts } = await import('../server/server-facts.ts')
  const { authMode } = await serverFacts(library.server, parts)
  if (authMode !== 'local') return { kind: 'nobody', name: null, workspace: null, proof: null }
  return { kind: 'person', ...(await callNamed(library, '/api/v1/me', parts)), proof: null }
}

async function callNamed(
  library: Library,
  path: string,
  parts: Parts,
): Promise<{ name: string; workspace: string }> {
  const answer = await callLibrary({ library, parts }, { method: 'GET', path })
  const { name, username = name, tenant, workspace = tenant } = isObject(answer) ? answer : {}
  const { name: workspaceName } = isObject(workspace) ? workspace : {}
  if (typeof username !== 'string' || typeof workspaceName !== 'string') throw unknownAnswer()
  return { name: printable(username, 100), workspace: printable(workspaceName, 80) }
}

function text({ kind, name, workspace, proof }: Identity, server: string): string {
  const place = workspace === null ? `at ${server}` : `in workspace "${workspace}" at ${server}`
  if (kind === 'machine') return `machine ${name}, by ${proof}, ${place}`
  if (kind === 'person') return `${name} ${place}, without sign-in`
  return `not signed in ${place}: a person approves each request in the browser`
}
