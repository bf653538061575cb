import { readFileSync } from 'node:fs'
import { keyBinding } from '@keyferry/crypto/key-binding'
import { isMachineToken, tokenHint } from '@keyferry/crypto/machine-token'
import { codeOf, refusedError, usageError } from '../base/cli-error.ts'
import type { Environment, Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { parseObject } from '../base/shape.ts'
import { type Server, send } from '../server/endpoint-call.ts'
import { jobName } from './job.ts'

/** How this client proves that it is a machine. */
export type MachineCredential = {
  /** For people, without anything secret: `token …abcd`. */
  readonly proof: string
  /** Which machine it claims to be; null: the credential says it by itself. */
  readonly machineId: string | null
  /** The credential for a call with this public key. */
  readonly forKey: (publicKey: Uint8Array) => Promise<string>
}

type CredentialParts = Pick<Parts, 'env' | 'exchange'>

/** The credential that this environment has, the first of: a token, an ID token of the platform. Null: ask a person.
 * @throws CliError usage: a credential that cannot be used, or `--as machine` without one */
export function findCredential(
  as: Speaker,
  server: string,
  parts: CredentialParts,
): MachineCredential | null {
  if (!namesMachine(as, parts.env)) return null
  const token = findToken(parts)
  if (token !== null)
    return { proof: `token …${tokenHint(token)}`, machineId: null, forKey: async () => token }
  const machineId = parts.env['KEYFERRY_MACHINE'] || null
  const idToken = machineId === null ? null : idTokenCredential(machineId, server, parts)
  if (idToken !== null) return idToken
  if (machineId !== null || as === 'machine') throw noCredential(machineId)
  return null
}

/** The token of a machine that this environment has; null without one. Unlike an ID token, it is good for other calls
 * than the delivery of values.
 * @throws CliError usage: it is malformed */
export function findToken(parts: CredentialParts): string | null {
  const token = readSecret('KEYFERRY_TOKEN', parts)
  if (token === null || isMachineToken(token)) return token
  throw usageError(
    'KEYFERRY_TOKEN is not a machine token',
    'Copy the token again, from kfm_ to its end; the server shows it once.',
  )
}

function idTokenCredential(
  machineId: string,
  server: string,
  parts: CredentialParts,
): MachineCredential | null {
  const { env } = parts
  const requestUrl = env['ACTIONS_ID_TOKEN_REQUEST_URL'] || null
  const requestToken = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'] || null
  if (requestUrl !== null && requestToken !== null) {
    return {
      proof: jobName(env) ?? 'GitHub Actions',
      machineId,
      // Bound to the key of this call: a thief of the token cannot use it.
      forKey: async (publicKey) =>
        await githubIdToken(
          { requestUrl, requestToken, audience: `${server}/key/${keyBinding(publicKey)}` },
          parts,
        ),
    }
  }
  const token = readSecret('KEYFERRY_ID_TOKEN', parts)
  return token === null
    ? null
    : {
        proof: jobName(env) ?? 'ID token',
        machineId,
        forKey: async () => readSecret('KEYFERRY_ID_TOKEN', parts) ?? token,
      }
}

/** The variable itself, or the content of the file that NAME_FILE names. */
function readSecret(name: string, { env }: CredentialParts): string | null {
  const text = env[name]?.trim() || null
  const path = env[`${name}_FILE`] || null
  if (text !== null || path === null) return text
  try {
    return readFileSync(path, 'utf8').trim() || null
  } catch (cause) {
    throw usageError(`${name}_FILE cannot be read: ${codeOf(cause)}`, `Check the file ${printable(path)}.`)
  }
}

function noCredential(machineId: string | null): Error {
  return usageError(
    machineId === null ? 'no machine credential is set' : 'KEYFERRY_MACHINE is set, but no ID token is',
    'Set KEYFERRY_TOKEN, or KEYFERRY_MACHINE with an ID token: in GitHub Actions "permissions: id-token: write", elsewhere KEYFERRY_ID_TOKEN or KEYFERRY_ID_TOKEN_FILE.',
  )
}

const TIMEOUT_MS = 20_000
const MAX_BYTES = 64 * 1024

type JobTokenRequest = {
  /** ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN of the job. */
  readonly requestUrl: string
  readonly requestToken: string
  readonly audience: string
}

/** Ask GitHub for an ID token of this job (docs.github.com, "OpenID Connect reference").
 * @throws CliError refused · NoAnswer */
async function githubIdToken(
  { requestUrl, requestToken, audience }: JobTokenRequest,
  { exchange }: Pick<Server, 'exchange'>,
): Promise<string> {
  const url = new URL(requestUrl)
  url.searchParams.set('audience', audience)
  const answer = await send(
    { server: url.origin, exchange },
    {
      method: 'GET',
      url: url.href,
      headers: { authorization: `Bearer ${requestToken}` },
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_BYTES,
    },
  )
  const value = parseObject(answer.body)?.['value']
  if (answer.status === 200 && typeof value === 'string') return value
  throw refusedError(
    `GitHub gave no ID token (status ${answer.status})`,
    'Check that the job has "permissions: id-token: write".',
  )
}

/** Who asks for values: `--as`; null: a machine if the environment has its credential. */
export type Speaker = 'person' | 'machine' | null

const VARIABLES = ['KEYFERRY_TOKEN', 'KEYFERRY_TOKEN_FILE', 'KEYFERRY_MACHINE']

/** Whether a machine may be asking. Without `--as`, one of its variables says so. */
function namesMachine(as: Speaker, env: Environment): boolean {
  if (as !== null) return as === 'machine'
  return VARIABLES.some((name) => (env[name] ?? '') !== '')
}
