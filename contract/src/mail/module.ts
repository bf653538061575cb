export { mailEndpoints as endpoints } from './endpoints.ts'
export * from './kinds.ts'
export * from './schemas.ts'

export const auditActions = {} as const

export const tags = { mails: 'Mails that a person gets' }

export const samples = {}

export const webEndpoints = {}
