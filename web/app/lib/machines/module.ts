import type { Called } from '../calls/call.ts'
import type { SignedAct } from '../calls/touch.ts'

export { machineWords as auditWords } from './audit-words.ts'

const newToken = ({ named }: SignedAct) => `A new token lets a program act as machine ${named('machines')}.`
const proves = ({ named, sent }: SignedAct) =>
  `ID tokens of ${sent('issuer')} with ${sent('claims')} prove machine ${named('machines')}.`

export const actWords: Readonly<Record<string, (act: SignedAct) => string>> = {
  grantBundle: ({ named }) =>
    `Machine ${named('machines')} gets what ${named('bundles')} holds, without approvals, from now on.`,
  createMachine: ({ sent }) => `The new machine ${sent('name')} can read the log.`,
  updateMachine: ({ named }) => `Machine ${named('machines')} changes.`,
  createMachineToken: newToken,
  rotateMachineToken: newToken,
  createMachineTrust: proves,
  allowMachineAttempt: proves,
}

export const refreshes: readonly (readonly [RegExp, readonly Called[]])[] = [
  [/\/machines(\/|$)/, ['listMachines', 'getMachine', 'listMachineAttempts']],
]

export const places = [
  { href: '/machines', name: 'Machines', tab: true, key: 'm' },
  { href: '/machines?new=github', name: 'New machine', isAction: true, needs: 'createMachine' },
] as const
