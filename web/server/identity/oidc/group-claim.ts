import { ClaimedGroups } from '@keyferry/contract'
import { z } from 'zod'

type GroupClaims = Readonly<Record<string, unknown>>

const Fields = z.record(z.string(), z.unknown())

// The name of a group that is an object; its id if it has no name.
const Named = z.object({ name: z.string() }).transform(({ name }) => name)
const WithId = z.object({ id: z.string() }).transform(({ id }) => id)
const Listed = z
  .union([z.string().transform((group) => [group]), z.array(z.union([z.string(), Named, WithId]))])
  .pipe(ClaimedGroups)

/** A claim by its name. If no claim has this name, dots lead into objects: `realm_access.roles`. */
export function claimIn(claims: GroupClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined
  let value: unknown = claims
  for (const part of name.split('.')) {
    const fields = Fields.safeParse(value).data ?? {}
    value = Object.hasOwn(fields, part) ? (fields[part] ?? undefined) : undefined
  }
  return value
}

/** The groups that a claim lists; or what it is instead, for the log, without its value. A person with too many groups
 * gets a reference in `_claim_names` instead of the claim: that is not none. */
export function groupsIn(
  claims: GroupClaims,
  { name, absentIsNone }: { name: string; absentIsNone: boolean },
): string[] | { found: string } {
  const claim = claimIn(claims, name)
  const groups = Listed.safeParse(claim).data
  if (groups) return groups
  if (claim !== undefined) return { found: kindOf(claim) }
  const [root = ''] = name.split('.')
  const elsewhere = Fields.safeParse(claims['_claim_names']).data ?? {}
  if (Object.hasOwn(elsewhere, name) || Object.hasOwn(elsewhere, root)) return { found: 'a reference' }
  return absentIsNone ? [] : { found: 'absent' }
}

function kindOf(claim: unknown): string {
  if (!Array.isArray(claim)) return typeof claim === 'string' ? 'a text that is too long' : typeof claim
  return `list of ${claim.length}: ${[...new Set(claim.map((item) => typeof item))].join(', ')}`
}
