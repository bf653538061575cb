import { MASK, type SplitKey } from '@keyferry/contract'
import { Plaintext } from '@keyferry/crypto/plaintext'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { readBack } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import type { Attachment } from './attachment.ts'
import { type BundleStore, findBundle } from './bundle.ts'
import { findKey, type KeyStore, type SeenKey } from './key.ts'
import { type Lifetime, normalLifetime } from './key-lifetime.ts'
import { libraryNames } from './library-name.ts'
import { maskOverSecret } from './mask.ts'

/*
 * A split replaces a shared key in one bundle by a copy: same value, mark and description, delivered at the same
 * position under the same name. The value can then change in that environment only. Only owners may split.
 */

/** How a copy of a key is made. `namesFor` gives library names for a delivered name, the best first. */
export type OwnCopy = {
  keyId: string
  namesFor: (deliveredName: string) => Iterable<string>
  /** Undefined: as the copied key has it. */
  value?: Plaintext | undefined
  is_secret?: boolean | undefined
  isTemplate?: boolean | undefined
  description?: string | undefined
  lifetime?: Partial<Lifetime>
}

type Marks = { is_secret: boolean; isTemplate: boolean }

/** The marks of a copy. A value in place of a template is secret, because the template may have had secret parts. */
export function marksOfCopy(source: Marks, copy: Pick<OwnCopy, keyof Marks>): Marks {
  const isTemplate = copy.isTemplate ?? source.isTemplate
  const wasTemplate = source.isTemplate && !isTemplate
  return { isTemplate, is_secret: copy.is_secret ?? (wasTemplate || source.is_secret) }
}

export interface SplitStore {
  /** Put a copy in the place of an attached key, all of it or nothing.
   * @throws DomainError not_found (bundle or key, or the key is not attached) · conflict: no library name was free */
  split(tenantId: string, attachment: Attachment, copy: OwnCopy & { stamp: Stamp }): Promise<void>
}

type SplitParts = { attachments: SplitStore; bundles: BundleStore; keys: KeyStore; clock: ClockAndIds }

export type SplitDraft = z.output<typeof SplitKey>

/** Replace a shared key in a bundle by a copy, with another value, mark, description or lifetime where one is given.
 * @throws DomainError not_found (bundle or key, or the key is not attached) · conflict (`key_name` is taken) ·
 *   invalid (the mask over a secret, no template, or a library name that is too long) */
export async function splitKey(
  { attachments, bundles, keys, clock }: SplitParts,
  caller: Caller,
  { draft, ...place }: Attachment & { draft: SplitDraft },
): Promise<SeenKey> {
  const bundle = await findBundle(bundles, caller, place.bundleId)
  const source = await findKey(keys, caller, place.keyId)
  if (draft.value === MASK && source.is_secret) throw maskOverSecret(source.name)
  const copy = {
    keyId: clock.newId(),
    namesFor: namesIn(bundle.name, draft.key_name),
    value: draft.value === undefined ? undefined : Plaintext.of(draft.value),
    is_secret: draft.is_secret,
    isTemplate: draft.is_template,
    description: draft.description,
    lifetime: normalLifetime(draft),
    stamp: stampOf(caller, clock),
  }
  await attachments.split(caller.tenantId, place, copy)
  return readBack(findKey(keys, caller, copy.keyId))
}

function namesIn(bundleName: string, given: string | undefined): OwnCopy['namesFor'] {
  return (name) => (given === undefined ? libraryNames({ bundleName, name, field: 'key_name' }) : [given])
}
