import type { Called } from '../calls/call.ts'

export const refreshes: readonly (readonly [RegExp, readonly Called[]])[] = [
  [/\/auth\/(passkeys|second-factor)/, ['listPasskeys']],
  [/\/auth\/password$/, ['listSessions']],
]

export const places = [] as const
