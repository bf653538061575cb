export { machineEndpoints as endpoints } from './endpoints.ts'
export * from './limits.ts'
export * from './schemas.ts'

export const auditActions = {
  'delivery.machine': 'actor',
  'delivery.refused': 'actor',
  'machine.created': 'actor',
  'machine.changed': 'actor',
  'machine.deleted': 'actor',
  'machine.granted': 'actor',
  'machine.revoked': 'actor',
  'token.created': 'actor',
  'token.rotated': 'actor',
  'token.ended': 'actor',
  'token.reported': 'actor',
  'token.expiring': 'actor',
  'trust.created': 'actor',
  'trust.ended': 'actor',
} as const

export const tags = {
  machines: 'Programs that fetch values without a person',
  machine: 'What a machine may do',
}

const TRUSTED = { repository_id: ['789'], environment: ['prod'] }

export const samples = {
  'AllowAttempt.claims': ['repository_id', 'environment'],
  'CreatedToken.token': 'kfm_1qe4Lu2mocTfktLY76oNVmefgoTFePvhPrbkbVEOevO3LSBXn',
  'CreateTrust.claims': TRUSTED,
  'MachineAttemptList.claims': { repository: 'acme/web', repository_id: '789', environment: 'prod' },
  'MachineAttemptList.reason': 'issuer',
  'MachineTrust.claims': TRUSTED,
  'trusts.claims': TRUSTED,
}

export const webEndpoints = {}
