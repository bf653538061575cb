import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifiedAuthenticationResponse,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server'
import { readClientData } from './client-data.ts'
import { CryptoError } from './crypto-error.ts'

/** What a response must match. `origin`: of our pages; `rpId`: the host name that passkeys belong to. */
export type Ceremony = { challenge: string; origin: string; rpId: string }

/** `credentialId` is base64url, `publicKey` a COSE key. `counter` grows with each use; 0: the passkey has none. */
export type VerifiedPasskey = { credentialId: string; publicKey: Uint8Array; counter: number }

type NewResponse = Pick<RegistrationResponseJSON, 'id' | 'rawId' | 'type'> & {
  response: Pick<RegistrationResponseJSON['response'], 'clientDataJSON' | 'attestationObject'>
}

type UseResponse = Pick<AuthenticationResponseJSON, 'id' | 'rawId' | 'type'> & {
  response: Omit<AuthenticationResponseJSON['response'], 'userHandle'>
}

/** EdDSA, ES256 and RS256 by their COSE numbers, the preferred one first. The browser is offered the same. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257] as const

/** A signing key. `isSynced`: it can be on several devices. `aaguid`: the kind that it claims to be. */
export type VerifiedApprovalKey = VerifiedPasskey & { isSynced: boolean; aaguid: string }

/** Check the response of a browser that made a passkey. Attestation is not asked for, so it is not trusted either.
 * @throws CryptoError bad_passkey: another challenge, origin or host name; a frame of another site; no user
 *   verification; malformed */
export async function verifyNewPasskey(response: NewResponse, ceremony: Ceremony): Promise<VerifiedPasskey> {
  const { isSynced: _, aaguid: __, ...passkey } = await verifyNewApprovalKey(response, ceremony)
  return passkey
}

/** As `verifyNewPasskey`, with what a signing key is known by. */
export async function verifyNewApprovalKey(
  response: NewResponse,
  ceremony: Ceremony,
): Promise<VerifiedApprovalKey> {
  requireOwnFrame(response)
  const { verifyRegistrationResponse } = await library()
  const { registrationInfo } = await verified<VerifiedRegistrationResponse>(() =>
    verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} },
      ...expected(ceremony),
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    }),
  )
  if (registrationInfo === undefined) throw new CryptoError('bad_passkey', 'passkey is not verified')
  const { credential, credentialDeviceType, aaguid } = registrationInfo
  const { id, publicKey, counter } = credential
  return {
    credentialId: id,
    publicKey,
    counter,
    isSynced: credentialDeviceType === 'multiDevice',
    aaguid,
  }
}

/** Check the response of a browser in which a person used a passkey.
 * @returns the counter after this use
 * @throws CryptoError bad_passkey: another challenge, origin or host name; a frame of another site; a wrong signature;
 *   a counter that did not grow; no user verification where it is required; malformed */
export async function verifyPasskeyUse(
  response: UseResponse,
  {
    ceremony,
    passkey,
    requireUserVerification,
  }: { ceremony: Ceremony; passkey: VerifiedPasskey; requireUserVerification: boolean },
): Promise<number> {
  requireOwnFrame(response)
  const { verifyAuthenticationResponse } = await library()
  const { authenticationInfo } = await verified<VerifiedAuthenticationResponse>(() =>
    verifyAuthenticationResponse({
      response: { ...response, clientExtensionResults: {} },
      ...expected(ceremony),
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.counter,
      },
      requireUserVerification,
    }),
  )
  return authenticationInfo.newCounter
}

// The library checks no frame when a passkey is made, and accepts one that names no top origin when it is used.
function requireOwnFrame({ response }: { response: { clientDataJSON: string } }): void {
  readClientData(Buffer.from(response.clientDataJSON, 'base64url'))
}

// It takes 30 MiB, so load it when the first passkey is used.
function library(): Promise<typeof import('@simplewebauthn/server')> {
  return import('@simplewebauthn/server')
}

function expected({ challenge, origin, rpId }: Ceremony) {
  return { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId }
}

// The library throws for most refusals and answers `verified: false` for the others.
async function verified<T extends { verified: boolean }>(check: () => Promise<T>): Promise<T> {
  const result = await check().catch((cause: unknown) => {
    throw new CryptoError('bad_passkey', 'passkey response is refused', { cause })
  })
  if (!result.verified) throw new CryptoError('bad_passkey', 'passkey response has a wrong signature')
  return result
}
