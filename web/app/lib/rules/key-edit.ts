import type { Key, KeyWithBundles } from '../calls/answers.ts'
import type { KeyLifetime, KeyUpdateInput } from '../data/keys.ts'
import type { changeOf } from './edit.ts'

/** `text`: null for a secret, which no page reads. */
type EditedValue = { text: string | null; is_template: boolean; version: number }

/** What a person can edit of a key. The version belongs to the value, so that a value which nobody sees has a base. */
export type EditedKey = KeyLifetime & Pick<Key, 'description' | 'is_secret'> & { value: EditedValue }

/** What the editors of a key need to know of it. */
export type DraftedKey = Pick<
  KeyWithBundles,
  | 'id'
  | 'name'
  | 'value'
  | 'version'
  | 'is_template'
  | 'template_parts'
  | 'updated_at'
  | 'updated_by_name'
  | 'may_show'
  | 'bundles'
  | Exclude<keyof EditedKey, 'value'>
>

export function editedKeyOf({ value, version, is_secret, is_template, ...key }: DraftedKey): EditedKey {
  const { description, expires_at, rotate_after_days } = key
  const text = is_secret ? null : value
  return {
    value: { text, is_template, version },
    is_secret,
    description,
    expires_at,
    rotate_after_days,
  }
}

/** What a call sends for an edit. Who may not show a key composes it only together with a new value. */
export function keyChangeOf(
  change: ReturnType<typeof changeOf<EditedKey>>,
  { may_show }: Pick<Key, 'may_show'>,
): KeyUpdateInput {
  const { value, expected: { value: seen, ...expected } = {}, ...described } = change ?? {}
  const other = Object.keys(described).length === 0 ? {} : { ...described, expected }
  if (value === undefined || seen === undefined) return other
  const text = value.text === null || value.text === seen.text ? {} : { value: value.text }
  const isMarked = value.is_template !== seen.is_template && ('value' in text || may_show)
  const mark = isMarked ? { is_template: value.is_template } : {}
  const isSame = Object.keys({ ...text, ...mark }).length === 0
  return isSame ? other : { ...other, ...text, ...mark, expected_version: seen.version }
}
