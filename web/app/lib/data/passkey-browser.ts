import { Problem } from '../calls/failure.ts'

/** Load what talks to the browser about passkeys: few people need it on a visit. */
export function webAuthn(): Promise<typeof import('@simplewebauthn/browser')> {
  return import('@simplewebauthn/browser')
}

/** Why passkeys do not work here; null: they work.
 * @param origin where the server's passkeys work; null: nowhere */
export function passkeyObstacle(origin: string | null): string | null {
  if (origin === null)
    return 'Passkeys need https and a host name. The address of this server has none, so ask your operator to set PUBLIC_URL.'
  if (origin !== location.origin) return `Passkeys work at ${origin}. Open Keyferry there.`
  return 'PublicKeyCredential' in window ? null : 'This browser does not support passkeys.'
}

const CANCELLED = 'No passkey was used. Try again.'

const PROBLEMS: Readonly<Record<string, string>> = {
  NotAllowedError: CANCELLED,
  AbortError: CANCELLED,
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'The browser does not allow passkeys at this address.',
}

/** A refusal of the browser in words. @throws Problem */
export function passkeyProblem(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  throw new Problem(PROBLEMS[name] ?? 'The browser could not use the passkey. Try again.', { cause: error })
}
