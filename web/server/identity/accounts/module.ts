import type { IdentityModule } from '../identity.ts'

export const openIdentity: IdentityModule['openIdentity'] = async (options) => {
  const { accountsIdentity } = await import('./accounts.ts')
  return accountsIdentity(options)
}
