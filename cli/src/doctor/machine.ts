import { wipe } from '@keyferry/crypto/key-pair'
import { CliError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { parseObject } from '../base/shape.ts'
import { findCredential, type MachineCredential } from '../machine/credential.ts'
import { jobName } from '../machine/job.ts'
import { ownMachine, presentIdentity } from '../server/machine-delivery.ts'
import { broken, doubtful, type Finding, good } from './finding.ts'

/** Check what this job or service presents as a machine, and what the server says about it. Shows claims, never a
 * token.
 * @param server null: the server may not be contacted */
export async function examineMachine(server: string | null, parts: Parts): Promise<readonly Finding[]> {
  try {
    const credential = findCredential(null, server ?? '', parts)
    if (credential === null) return withoutCredential(parts)
    if (server === null) return [good('machine', `${credential.proof}; doctor did not present it`)]
    return await present(credential, server, parts)
  } catch (error) {
    return [failure(error)]
  }
}

function failure(error: unknown): Finding {
  if (error instanceof CliError) return broken('machine', error.message, error.next)
  throw error
}

function withoutCredential({ env }: Parts): readonly Finding[] {
  const job = jobName(env)
  if (job === null) return []
  const what = `${job}, but no machine credential is set, so keyferry asks a person`
  return [
    doubtful('machine', what, 'Set KEYFERRY_MACHINE to the id of the machine; its page shows the job file.'),
  ]
}

async function present(credential: MachineCredential, server: string, parts: Parts): Promise<Finding[]> {
  const { publicKey, secretKey } = (await parts.randomness()).newKeyPair()
  wipe(secretKey)
  const proof = await credential.forKey(publicKey)
  const { machineId } = credential
  const place = { exchange: parts.exchange, server }
  if (machineId === null) return tokenFindings(credential.proof, await ownMachine(place, proof))
  const content = readIdToken(proof)
  if (content === null) {
    return [broken('ID token', 'it is not a JWT', 'Give the ID token of the platform, unchanged.')]
  }
  const shown = contentFindings(content, { proof: credential.proof, server, nowMs: parts.clock.epochMs() })
  try {
    await presentIdentity(place, proof, { machineId, publicKey })
    return [...shown, good('machine', `${printable(machineId, 100)}: the server accepts this identity`)]
  } catch (error) {
    return [...shown, failure(error)]
  }
}

function tokenFindings(
  proof: string,
  { name, workspace, grants, token }: Awaited<ReturnType<typeof ownMachine>>,
): Finding[] {
  const who = good('machine', `${printable(name, 100)} in ${printable(workspace, 100)}, by ${proof}`)
  const bundles = grants.filter(({ scope }) => scope === 'deliver').map(({ bundle }) => printable(bundle, 80))
  const fetches =
    bundles.length === 0
      ? doubtful('bundles', 'it may fetch none', 'Ask an owner to grant a bundle to the machine.')
      : good('bundles', `it may fetch ${bundles.join(', ')}`)
  const until = `until ${printable(token.expiresAt, 40)}`
  const ends =
    token.due === null
      ? good('token', until)
      : doubtful('token', until, 'Rotate it on the page of the machine.')
  return [who, fetches, ends]
}

type ProofView = { readonly proof: string; readonly server: string; readonly nowMs: number }

function contentFindings(
  { issuer, audience, expiresAt, claims }: IdTokenContent,
  shown: ProofView,
): Finding[] {
  return [
    good('ID token', `${shown.proof}, signed by ${printable(issuer)}`),
    audienceFinding(audience, shown.server),
    expiryFinding(expiresAt, shown.nowMs),
    ...claims.map(([name, text]) => good('claim', `${printable(name, 100)} = ${printable(text)}`)),
  ]
}

function audienceFinding(audience: string, server: string): Finding {
  if (audience.startsWith(`${server}/key/`))
    return good('audience', `${server}, bound to the key of this call`)
  if (audience === server) return good('audience', `${server}, not bound to a key`)
  const what = `${printable(audience)}, which is not ${server}`
  return doubtful(
    'audience',
    what,
    `Request the ID token for ${server}, unless the trust names another audience.`,
  )
}

function expiryFinding(expiresAt: number | null, nowMs: number): Finding {
  if (expiresAt === null)
    return broken('expiry', 'the ID token names none', 'Use an ID token of the platform.')
  const seconds = Math.round(expiresAt - nowMs / 1_000)
  return seconds > 0
    ? good('expiry', `in ${seconds} s`)
    : broken('expiry', `${-seconds} s ago`, 'Get a new ID token: the platform gives one to each job.')
}

type IdTokenContent = NonNullable<ReturnType<typeof readIdToken>>

/** What an ID token says. Nothing is verified: that is the server's task.
 * @returns `expiresAt`: in seconds since 1970; null if it names no expiry · `claims`: the others with a text, a number
 *   or a truth value, except personal ones · null for a text that is no ID token */
function readIdToken(token: string) {
  const payload = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  if (payload === null || typeof payload['iss'] !== 'string') return null
  const { iss, aud, exp, ...others } = payload
  return {
    issuer: iss,
    audience: [aud].flat().map(String).join(', '),
    expiresAt: typeof exp === 'number' ? exp : null,
    claims: Object.entries(others).flatMap(([name, claim]) =>
      isShown(name, claim) ? [[name, String(claim)] as const] : [],
    ),
  }
}

const UNWANTED = new Set(['iat', 'nbf', 'jti'])

// The log of a job may be public.
function isShown(name: string, claim: unknown): boolean {
  return (
    !UNWANTED.has(name) && !name.includes('email') && ['string', 'number', 'boolean'].includes(typeof claim)
  )
}
