import type { MachineGrant } from '../calls/answers.ts'

/** What a machine may do with a bundle. */
export const SCOPES: Readonly<Record<MachineGrant['scope'], string>> = {
  deliver: 'Fetch values',
  read: 'List names only',
}
