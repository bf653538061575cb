import type { Called } from '../calls/call.ts'

export const refreshes: readonly (readonly [RegExp, readonly Called[]])[] = [
  [/\/machines(\/|$)/, ['listMachines', 'getMachine', 'listMachineAttempts']],
]

export const places = [
  { href: '/machines', name: 'Machines', tab: true, key: 'm' },
  { href: '/machines?new=github', name: 'New machine', isAction: true, needs: 'createMachine' },
] as const
