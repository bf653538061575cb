import type { CDPSession, Page } from 'playwright-core'

export type VirtualAuthenticator = {
  /** Whether its person is there and confirms; if not, the browser waits, or the person cancels. */
  setPresent(isPresent: boolean): Promise<void>
  /** The ids of its passkeys. */
  credentials(): Promise<string[]>
  /** Forget a passkey, as a lost device does. */
  clear(): Promise<void>
  /** Take it away from the browser. */
  remove(): Promise<void>
}

type Made = {
  transport?: 'internal' | 'usb' | 'hybrid'
  isUserVerified?: boolean
  defaultBackupEligibility?: boolean
  defaultBackupState?: boolean
}

/** An authenticator of the browser itself, whose person is there and is verified. */
export async function addVirtualAuthenticator(page: Page, made: Made = {}): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...made,
    },
  })
  return {
    setPresent: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    credentials: async () => {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ credentialId }) => credentialId)
    },
    clear: async () => {
      await session.send('WebAuthn.clearCredentials', { authenticatorId })
    },
    remove: async () => {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
