import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { MachineToken } from './machine-token.ts'
import { MachineTrust } from './machine-trust.ts'
import { Flag, Id, Ok, optionalText, Page, requiredText, Stricter, Timestamp } from './text.ts'

const MACHINE_NAME = /^[A-Za-z0-9._/-]+$/

export const MachineName = requiredText('name', LIMITS.machineNameLength, 'name required')
  .regex(MACHINE_NAME, 'name may hold only letters, digits, ., /, - and _')
  .meta({ id: 'MachineName', examples: ['ci-deploy'] })

const Description = optionalText('description', LIMITS.descriptionLength)

/** `audit`: the machine may read the audit log. */
export const CreateMachine = z
  .object({
    name: MachineName,
    description: Description.default(''),
    is_active: Flag('is_active').default(true),
    audit: Flag('audit').default(false),
  })
  .meta({ id: 'CreateMachine', examples: [{ name: 'ci-deploy', description: 'deploys from CI' }] })

/** What is absent stays. */
export const UpdateMachine = z
  .object({
    name: MachineName.optional(),
    description: Description.optional(),
    is_active: Flag('is_active').optional(),
    audit: Flag('audit').optional(),
  })
  .meta({ id: 'UpdateMachine', examples: [{ is_active: false }] })

export const ListMachinesQuery = Page

/** `read`: names of keys, with every value masked. `deliver`: that, and deliveries. */
const Scope = z.enum(['read', 'deliver'], { error: 'scope must be read or deliver' })

export const GrantBundle = z
  .object({ scope: Scope })
  .meta({ id: 'GrantBundle', examples: [{ scope: 'deliver' }] })

export const GrantedBundle = Ok.extend(Stricter).meta({
  id: 'GrantedBundle',
  examples: [{ ok: true, stricter: ['DATABASE_URL'] }],
})

const Named = z.object({ id: Id, name: z.string() })

const EXAMPLE = {
  id: 'c0b0a1de-5a3e-4ad5-8a8f-0a5f0f3d8d11',
  name: 'ci-deploy',
  description: 'deploys from CI',
  is_active: true,
  audit: false,
  created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  last_delivery_at: '2026-02-01T03:00:00.000Z',
  grants: [
    {
      bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'prod/app' },
      scope: 'deliver',
      created_at: '2026-01-31T12:00:00.000Z',
    },
  ],
  tokens: [
    {
      id: '8b0f4f6b-9d5e-4d0e-8c5c-5b8a6f1f2a33',
      hint: '3SBX',
      networks: ['10.0.0.0/8'],
      created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
      created_at: '2026-01-31T12:00:00.000Z',
      expires_at: '2026-05-01T12:00:00.000Z',
      due: null,
      ended_at: null,
      last_used_at: '2026-02-01T03:00:00.000Z',
      last_used_ip: '10.1.2.3',
    },
  ],
  trusts: [],
  attempts: 0,
} as const

/** `last_used_at` of a token or a trust is exact to a minute. `attempts`: how many refused identities an owner can
 * allow. */
export const Machine = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string(),
    is_active: z.boolean(),
    audit: z.boolean(),
    created_by: Id,
    created_at: Timestamp,
    updated_at: Timestamp,
    last_delivery_at: Timestamp.nullable(),
    grants: z.array(
      z.object({ bundle: Named, scope: Scope, created_at: Timestamp }).meta({ id: 'MachineGrant' }),
    ),
    tokens: z.array(MachineToken),
    trusts: z.array(MachineTrust),
    attempts: z.int(),
  })
  .meta({ id: 'Machine', examples: [EXAMPLE] })

export const MachineList = z.array(Machine).meta({ id: 'MachineList', examples: [[EXAMPLE]] })
