import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { MachineToken } from './machine-token.ts'
import { MachineTrust } from './machine-trust.ts'
import {
  changeOf,
  expectedOf,
  Flag,
  Id,
  Named,
  Ok,
  object,
  optionalText,
  Page,
  requiredText,
  Stricter,
  Timestamp,
} from './text.ts'

const MACHINE_NAME = /^[A-Za-z0-9._/-]+$/

export const MachineName = requiredText('name', LIMITS.machineNameLength, 'name required')
  .regex(MACHINE_NAME, 'name may hold only letters, digits, ., /, - and _')
  .meta({ id: 'MachineName', examples: ['ci-deploy'] })

const fields = {
  name: MachineName,
  description: optionalText('description', LIMITS.descriptionLength),
  is_active: Flag('is_active'),
  audit: Flag('audit'),
}

/** `audit`: the machine may read the audit log. */
export const CreateMachine = object(
  'CreateMachine',
  {
    name: MachineName,
    description: fields.description.default(''),
    is_active: fields.is_active.default(true),
    audit: fields.audit.default(false),
  },
  { name: 'ci-deploy', description: 'deploys from CI' },
)

export const UpdateMachine = changeOf('UpdateMachine', fields, { is_active: false })

export const ListMachinesQuery = Page

/** `read`: names of keys, with every value masked. `deliver`: that, and deliveries. */
const Scope = z.enum(['read', 'deliver'], { error: 'scope must be read or deliver' })

/** `expected.scope`: null if the machine had no grant of the bundle. */
export const GrantBundle = object('GrantBundle', {
  scope: Scope,
  expected: expectedOf({ scope: Scope.nullable() }),
})

export const GrantedBundle = Ok.extend(Stricter).meta({ id: 'GrantedBundle' })

/** `last_used_at` of a token or a trust is exact to a minute. `attempts`: how many refused identities an owner can
 * allow. */
export const Machine = object('Machine', {
  id: Id,
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  audit: z.boolean(),
  created_by: Id,
  created_at: Timestamp,
  updated_at: Timestamp,
  last_delivery_at: Timestamp.nullable(),
  grants: z.array(object('MachineGrant', { bundle: Named, scope: Scope, created_at: Timestamp })),
  tokens: z.array(MachineToken),
  trusts: z.array(MachineTrust),
  attempts: z.int(),
})

export const MachineList = z.array(Machine).meta({ id: 'MachineList' })
