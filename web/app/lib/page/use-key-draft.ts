import type { Conflict } from '../rules/edit.ts'
import { type DraftedKey, type EditedKey, editedKeyOf, keyChangeOf } from '../rules/key-edit.ts'
import { dayOf } from '../words/due.ts'
import { plainText } from '../words/plain-text.ts'
import { useEdit } from './use-edit.ts'

type ValuePart = Partial<Pick<EditedKey['value'], 'text' | 'is_template'>>

/** A person's edit of a key. The value of a secret is known by its version only.
 * @param isSaving while a change is stored and read again, it is no conflict with itself
 * @returns `notice`: props for the notice of a conflict */
export function useKeyDraft(item: DraftedKey, { isSaving }: { isSaving: boolean }) {
  const { draft, change, conflict, set } = useEdit(editedKeyOf(item))
  const values = item.is_secret
    ? { theirs: `version ${item.version}, which no page shows`, mine: 'your new value' }
    : { theirs: item.value, mine: draft.value.text }
  const shown = (of: Conflict): Conflict => (of.field === 'value' ? { ...of, ...values } : of)
  const textOf = (field: string, value: unknown) => {
    if (field === 'value' && item.is_secret) return String(value)
    return field === 'expires_at' && typeof value === 'string' ? dayOf(value) : plainText(value)
  }
  return {
    draft,
    change: keyChangeOf(change, item),
    set,
    setValue: (part: ValuePart) => set({ value: { ...draft.value, ...part } }),
    notice: {
      conflict: { ...conflict, conflicts: isSaving ? [] : conflict.conflicts.map(shown) },
      recordId: item.id,
      last: { by: item.updated_by_name, at: item.updated_at },
      words: { textOf },
    },
  }
}
