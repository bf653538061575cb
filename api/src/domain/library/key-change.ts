import type { AuditAction } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { DomainError } from '../base/errors.ts'
import { type Event, madeBy } from '../base/event.ts'
import type { KeyEditor, StampedChange, ValueHow } from './key.ts'
import type { Lifetime } from './key-lifetime.ts'

/*
 * What a change of a key changes. A value that the key has already is no change: a repeated import or a second restore
 * makes no version, so no holder becomes stale. The exception is a caller who may not compare (value-rights.ts): every
 * value that they set is a new one. A text that becomes a template, or stops being one, is a new value,
 * because bundles deliver something else from then on.
 */

export type CurrentKey = Lifetime & {
  version: number
  is_secret: boolean
  isTemplate: boolean
  description: string
}

/** Opens the current value. `isSame` is false for a value that cannot be opened, so that it can be replaced, and
 * for one that the caller may not compare. */
export type CurrentValue = { open: () => Plaintext | null; isSame: (value: Plaintext) => boolean }

/** `setBy`: whose value it stays; absent for who makes the change. */
export type ValueSource = {
  how: ValueHow
  restoredFrom: number | null
  proposedBy?: string | null
  setBy?: string
}

/** A change without what changes nothing. `value`: a new value, which is the next version. */
export type EffectiveChange = StampedChange & {
  isTemplate: boolean
  version: number
  changed: readonly string[]
}

/** The value that a change would overwrite. */
type OvertakingValue = { version: number; set_by: KeyEditor; set_at: string }

/** The caller read another version than the current one. `details`: the current one, who set it and when. */
export function versionConflict(current: OvertakingValue): DomainError {
  const message = `the value has changed: it is version ${current.version}; read the key again, then change it`
  return new DomainError('version_conflict', message, { details: current })
}

/** @returns null for a change that changes nothing */
export function effectiveChange(
  current: CurrentKey,
  currentValue: CurrentValue,
  change: StampedChange,
): EffectiveChange | null {
  const isTemplate = change.isTemplate ?? current.isTemplate
  const value = newValue(current, currentValue, { ...change, isTemplate })
  const wanted = { ...change, isTemplate, value }
  const changed = changedFields(current, wanted)
  if (changed.length === 0) return null
  return { ...wanted, changed, version: value ? current.version + 1 : current.version }
}

function newValue(current: CurrentKey, { open, isSame }: CurrentValue, { value, isTemplate }: StampedChange) {
  if (isTemplate !== current.isTemplate) return value ?? open() ?? undefined
  return value && !isSame(value) ? value : undefined
}

const DESCRIPTIVE = ['description', 'expires_at', 'rotate_after_days'] as const

function changedFields(current: CurrentKey, wanted: StampedChange): string[] {
  const isMarked = wanted.is_secret !== undefined && wanted.is_secret !== current.is_secret
  const isOther = wanted.isTemplate !== current.isTemplate
  const described = DESCRIPTIVE.filter((name) => wanted[name] !== undefined && wanted[name] !== current[name])
  return [
    ...(wanted.value ? ['value'] : []),
    ...(isMarked ? ['is_secret'] : []),
    ...(isOther ? ['is_template'] : []),
    ...described,
  ]
}

export function keyChanged(
  key: { tenantId: string; id: string; name: string; is_secret: boolean },
  { changed, version, ...wanted }: EffectiveChange,
  { how, restoredFrom }: ValueSource,
): Event {
  const { tenantId, id, name } = key
  const data = {
    version,
    is_secret: wanted.is_secret ?? key.is_secret,
    ...(changed.includes('is_template') ? { is_template: wanted.isTemplate } : {}),
    ...(restoredFrom === null ? {} : { restored_from: restoredFrom }),
    changed,
  }
  const action = actionOf(wanted, changed, how)
  return { ...madeBy(wanted.stamp), tenantId, action, target: { kind: 'key', id, name }, data }
}

function actionOf({ is_secret }: StampedChange, changed: readonly string[], how: ValueHow): AuditAction {
  if (changed.includes('value')) return how === 'restore' ? 'key.restored' : 'key.changed'
  if (!changed.includes('is_secret')) return 'key.described'
  return is_secret ? 'key.declared_secret' : 'key.declared_public'
}
