import { z } from 'zod'
import { bundleNotFound, requireReached } from '../domain/library/bundle.ts'
import { keyNotFound } from '../domain/library/key.ts'
import type { Caller } from '../domain/people/membership.ts'
import type { Stores } from '../domain/stores.ts'

const Ids = z
  .looseObject({ bundle_id: z.union([z.string(), z.array(z.string())]), key_id: z.string() })
  .partial()
const OfImport = z.looseObject({ bundle: z.string() })
const OfBatch = { action: z.string(), key_ids: z.array(z.string()), name: z.string() }
const Body = z
  .looseObject({ ...Ids.shape, ...OfBatch, also: z.array(OfImport).catch([]), bundle: z.string() })
  .partial()
const [SentIds, SentBody] = [Ids.catch({}), Body.catch({})]

type SentParts = { name: string; params: unknown; query: unknown; body: unknown }

const NAMES_BUNDLE = /^(create|update|duplicate)Bundle$/
const NAMES_APPROVAL_KEY = /^(confirm|remove)ApprovalKey$/

/** Refuses a call about a bundle or key that its limited caller does not reach, before anything else looks at it: the
 * answer is that of an unknown id.
 * @param stores within the caller's reach
 * @throws DomainError not_found */
export async function requireWithinReach(
  { bundles, policies }: Stores,
  caller: Caller,
  { name: call, params, query, body }: SentParts,
): Promise<void> {
  if (NAMES_APPROVAL_KEY.test(call)) return
  const parts = [SentIds.parse(params ?? {}), SentIds.parse(query ?? {})]
  const sent = SentBody.parse(body ?? {})
  const named = [sent.bundle ?? [], sent.also?.map(({ bundle }) => bundle) ?? []].flat()
  if (NAMES_BUNDLE.test(call) && sent.name !== undefined) named.push(sent.name)
  for (const name of named) requireReached(caller, name)
  const { tenantId } = caller
  for (const id of [...parts, sent].flatMap(({ bundle_id }) => bundle_id ?? []))
    if ((await bundles.find(tenantId, id)) === null) throw bundleNotFound()
  const changed = sent.action === undefined ? [] : (sent.key_ids ?? [])
  const keyIds = [...new Set([...parts.flatMap(({ key_id }) => key_id ?? []), ...changed])]
  if (keyIds.length === 0) return
  if ((await policies.keyNames(tenantId, keyIds)).size < keyIds.length) throw keyNotFound()
}
