import { randomBytes, sign } from 'node:crypto'
import { decodeBase64 } from './base64.ts'
import { CryptoError } from './crypto-error.ts'
import { ED25519_BYTES, publicBytesOf, signatureFits, signingKeyOf } from './ed25519.ts'
import { frame } from './frame.ts'

/*
 * The key of a terminal that may repeat an approval. The terminal keeps the seed; it signs each request with it, so
 * that a copy of a request is of no use with another public key, command or folder.
 */

const NONCE_BYTES = 16

/** What a terminal signs when it asks. Texts are as they travel; `time` is an ISO timestamp. */
export type DeviceRequest = {
  clientPublicKey: Uint8Array
  bundle: string | undefined
  workspace: string | undefined
  templateKeys: readonly string[]
  argv: readonly string[]
  argvMasked: string | undefined
  cwd: string
  agent: string | undefined
  reason?: string | undefined
  /** What else the command line says of the values; undefined: the first version, which did not say it. `repository`:
   * the folder of the command in the main working tree of its repository. */
  use?: { redaction: string; flags: readonly string[]; repository?: string | undefined } | undefined
}

/** A signature and what keeps it from being used again, as it travels: base64, ISO timestamp, base64url, base64. */
export type DeviceProof = { public_key: string; time: string; nonce: string; signature: string }

/** A fresh seed: 32 random bytes. */
export function createDeviceSeed(): Uint8Array {
  return Uint8Array.from(randomBytes(ED25519_BYTES))
}

/** Sign a request with the seed of a terminal. */
export function signDeviceRequest(seed: Uint8Array, request: DeviceRequest, time: string): DeviceProof {
  return proofOf(seed, time, (nonce) => requestStatement(request, { time, nonce }))
}

/** Sign the wish that the server forgets what it remembers of this terminal. */
export function signDeviceForget(seed: Uint8Array, time: string): DeviceProof {
  return proofOf(seed, time, (nonce) => forgetStatement({ time, nonce }))
}

/** Sign the wish to learn when a value of a delivery changes. */
export function signDeviceWatch(seed: Uint8Array, deliveryId: string, time: string): DeviceProof {
  return proofOf(seed, time, (nonce) => watchStatement(deliveryId, { time, nonce }))
}

/** Whether the holder of the terminal's key signed this request. */
export function deviceSignedRequest(proof: DeviceProof, request: DeviceRequest): boolean {
  return isSigned(proof, requestStatement(request, proof))
}

/** Whether the holder of the terminal's key wants to be forgotten. */
export function deviceSignedForget(proof: DeviceProof): boolean {
  return isSigned(proof, forgetStatement(proof))
}

/** Whether the holder of the terminal's key wants to learn of changes to this delivery. */
export function deviceSignedWatch(proof: DeviceProof, deliveryId: string): boolean {
  return isSigned(proof, watchStatement(deliveryId, proof))
}

type DeviceStamp = { time: string; nonce: string }

function requestStatement(request: DeviceRequest, { time, nonce }: DeviceStamp): Buffer {
  const { clientPublicKey, bundle = '', workspace = '', templateKeys, argv, argvMasked = '' } = request
  const asked = [clientPublicKey, bundle, workspace, frame(...templateKeys)] as const
  const command = [frame(...argv), argvMasked, request.cwd, request.agent ?? ''] as const
  if (request.use === undefined) return frame('keyferry device request v1', ...asked, ...command, time, nonce)
  const use = [request.reason ?? '', request.use.redaction, frame(...request.use.flags)] as const
  const { repository } = request.use
  if (repository === undefined)
    return frame('keyferry device request v2', ...asked, ...command, ...use, time, nonce)
  return frame('keyferry device request v3', ...asked, ...command, ...use, repository, time, nonce)
}

function forgetStatement({ time, nonce }: DeviceStamp): Buffer {
  return frame('keyferry device forget v1', time, nonce)
}

function watchStatement(deliveryId: string, { time, nonce }: DeviceStamp): Buffer {
  return frame('keyferry device watch v1', deliveryId, time, nonce)
}

function proofOf(seed: Uint8Array, time: string, statement: (nonce: string) => Buffer): DeviceProof {
  if (seed.length !== ED25519_BYTES) throw new CryptoError('bad_secret_key', 'device seed is not 32 bytes')
  const key = signingKeyOf(seed)
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  return {
    public_key: Buffer.from(publicBytesOf(key)).toString('base64'),
    time,
    nonce,
    signature: sign(null, statement(nonce), key).toString('base64'),
  }
}

function isSigned({ public_key, signature }: DeviceProof, statement: Buffer): boolean {
  try {
    const key = decodeBase64(public_key)
    return signatureFits(statement, { publicKey: key, signature: decodeBase64(signature) })
  } catch {
    return false
  }
}
