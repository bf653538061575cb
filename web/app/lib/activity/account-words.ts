import type { Part, Told } from './told.ts'

/** What follows the actor's name for the events of people's accounts. */
export const accountWords = {
  'user.signed_in': () => ['signed in'],
  'user.signed_out': () => ['signed out'],
  'user.changed': (told) => ['changed ', ...possessed(told, 'account')],
  'user.password_changed': (told) => ['changed ', ...possessed(told, 'password')],
  'user.password_reset': (told) => ['reset ', ...possessed(told, 'password')],
  'user.second_factor_changed': (told) => ['changed ', ...possessed(told, 'second factor')],
  'user.deactivated': (told) => ['deactivated ', ...possessed(told, 'account')],
  'user.reactivated': (told) => ['reactivated ', ...possessed(told, 'account')],
  'passkey.added': (told) => ['added a passkey to ', ...possessed(told, 'account')],
  'passkey.renamed': (told) => ['renamed a passkey of ', ...possessed(told, 'account')],
  'passkey.removed': (told) => ['removed a passkey from ', ...possessed(told, 'account')],
} as const satisfies Record<string, (told: Told) => readonly Part[]>

function possessed({ isOwn, person }: Told, what: string): Part[] {
  return isOwn ? [`their ${what}`] : [`the ${what} of `, person]
}
