import { z } from 'zod'
import { isBundleName } from '../env/names.ts'
import { ProductionField } from './bundle.ts'
import { changeOf, Id, Named, object, wholeNumber } from './text.ts'

/** How an approval is bound to the terminal that asked, from the weakest to the strictest. `compat`: the approver
 * compares the check code. `bound`: the approval returns to the terminal over loopback or by a code that is typed
 * there. `local`: over loopback only. */
export const ASSURANCES = ['compat', 'bound', 'local'] as const

export type Assurance = (typeof ASSURANCES)[number]

/** The longest time that an approval can be remembered, in hours. */
export const MAX_REMEMBER_HOURS = 12

const REMEMBER = `remember_hours must be a whole number from 0 to ${MAX_REMEMBER_HOURS}`

export const AssuranceField = z.enum(ASSURANCES, {
  error: `assurance must be one of ${ASSURANCES.join(', ')}`,
})

/** Who may change the values of a bundle, from the widest to the strictest: every member, members those that they set,
 * owners only. Owners always may. */
export const CHANGERS = ['member', 'setter', 'owner'] as const

export type Changers = (typeof CHANGERS)[number]

/** People that one place may name as approvers. */
const MAX_PEOPLE = 50

const PEOPLE = `people must be the ids of 1 to ${MAX_PEOPLE} members`

/** What an AI agent may do, the strictest last: its approvals can be remembered, each needs a person, or none. */
export const AGENT_RULES = ['remember', 'ask', 'deny'] as const

/** Whether a person may approve a task: any command of a terminal in one folder for 30 minutes; the strictest last. It
 * is `none` if no place sets it, if nothing is remembered, if two people approve, or if people sign. */
export const TASK_RULES = ['allow', 'none'] as const

/** Whether a person signs each approval and each change with a signing key, the strictest last: not at all, with any
 * signing key, or with one that never leaves its device. */
export const TOUCHES = ['none', 'passkey', 'device'] as const

export type TouchRule = (typeof TOUCHES)[number]

export const TouchField = z.enum(TOUCHES, { error: 'touch must be none, passkey or device' })

/** Who may approve, how, and how many of them; and who may change values. `people`: with the approvers `named`, their
 * user ids; several lists count together, so only who is on all of them may approve. */
const Rules = {
  assurance: AssuranceField,
  approvers: z.enum(['member', 'named', 'owner'], { error: 'approvers must be member, named or owner' }),
  people: z.array(Id, { error: PEOPLE }).min(1, PEOPLE).max(MAX_PEOPLE, PEOPLE),
  changers: z.enum(CHANGERS, { error: 'changers must be member, setter or owner' }),
  approvals_needed: z.literal([1, 2], { error: 'approvals_needed must be 1 or 2' }),
  agents: z.enum(AGENT_RULES, { error: 'agents must be remember, ask or deny' }),
  remember_hours: wholeNumber(REMEMBER, 0, MAX_REMEMBER_HOURS),
  tasks: z.enum(TASK_RULES, { error: 'tasks must be allow or none' }),
  touch: TouchField,
}

/** The rules that count. */
export const Policy = object('Policy', { ...Rules, people: z.array(Id).nullable() })

const nullable = {
  assurance: Rules.assurance.nullable(),
  approvers: Rules.approvers.nullable(),
  people: Rules.people.nullable(),
  changers: Rules.changers.nullable(),
  approvals_needed: Rules.approvals_needed.nullable(),
  agents: Rules.agents.nullable(),
  remember_hours: Rules.remember_hours.nullable(),
  tasks: Rules.tasks.nullable(),
  touch: Rules.touch.nullable(),
}

/** What one place sets; null: nothing. */
export const PolicySetting = object('PolicySetting', {
  ...nullable,
  people: z.array(Id).nullable(),
})

/** Null removes what the place sets. */
export const ChangePolicy = changeOf('ChangePolicy', nullable, { assurance: 'local', approvers: 'owner' })

/** The rules of a bundle, and whether it is for production. */
export const ChangeBundlePolicy = changeOf(
  'ChangeBundlePolicy',
  { ...nullable, production: ProductionField },
  { assurance: 'local', approvers: 'owner', production: 'yes' },
)

/** A folder of bundle names, such as `prod/`: each bundle whose name begins with it is in it. */
const FolderField = z
  .string()
  .refine(
    (name) => name.endsWith('/') && isBundleName(name.slice(0, -1)),
    'folder must be the start of bundle names, and end with /',
  )

/** The rules of the workspace, or of one of its folders. */
export const ChangeTenantPolicy = ChangePolicy.extend({ folder: FolderField.optional() }).meta({
  id: 'ChangeTenantPolicy',
  examples: [{ assurance: 'local', folder: 'prod/' }],
})

/** `places`: also answer with what each place sets. `bundle_id` and `folder`: these are among them. */
export const PolicyQuery = z.object({
  places: z.enum(['0', '1'], { error: 'places must be 0 or 1' }).optional(),
  bundle_id: Id.optional(),
  folder: FolderField.optional(),
})

/** A place that can set rules: the workspace, a folder or a bundle. `set`: what it sets. `limit`: the strictest of what
 * is set above it; what it sets counts where it is stricter. `above`: what would count if it set nothing. `effective`:
 * what counts, in a folder for a bundle that sets nothing. `production`: what an owner says of a bundle. `variable`:
 * the name of the secret that keeps the rules of a place that it left; the folder is `key/ID/`. */
const RulesPlace = object('RulesPlace', {
  variable: z.string().nullable(),
  folder: z.string().nullable(),
  bundle: Named.nullable(),
  set: PolicySetting,
  limit: PolicySetting,
  above: Policy,
  effective: Policy,
  is_production: z.boolean(),
  production: ProductionField,
})

/** `effective` is the strictest of what the server, the workspace, the folders over the bundle and the bundle set.
 * `production`: what an owner says of the bundle. `is_production`: an owner, its name or a tag says so, and nothing is
 * remembered unless the bundle or a folder over it sets `remember_hours`. `also`: other bundles that hold secret values
 * of this one; what this bundle sets counts for these values there too. `stricter`: names of secret values for which
 * another bundle demands more. */
export const BundlePolicy = object('BundlePolicy', {
  effective: Policy,
  bundle: PolicySetting,
  workspace: PolicySetting,
  server: z.object({ assurance: AssuranceField }),
  production: ProductionField,
  is_production: z.boolean(),
  stricter: z.array(z.string()),
  also: z.array(z.object({ bundle: Named, secrets: z.int() })),
})

/** `effective`: for a bundle that sets nothing and is not for production. `advice` says what to change, if anything:
 * `use_bound` where this server is reached by others and approvals are not bound to a terminal. */
export const TenantPolicy = object('TenantPolicy', {
  effective: Policy,
  workspace: PolicySetting,
  server: z.object({ assurance: AssuranceField }),
  advice: z.array(z.enum(['use_bound'])),
  /** The workspace, its folders in the order of environments, then bundles that set rules, by name. */
  places: z.array(RulesPlace).optional(),
})
