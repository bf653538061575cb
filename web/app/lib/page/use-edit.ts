import { useState } from 'react'
import { changeOf, conflictsOf, type Edit, edited, NO_EDIT, rebased, yielded } from '../rules/edit.ts'

/** A person's edit of a record that others can change at the same time.
 * @param stored the editable fields as the page last read them
 * @returns `draft`: these fields with the person's own over them · `change`: what to send, null if nothing differs */
export function useEdit<Fields extends object>(stored: Fields) {
  const [edit, setEdit] = useState<Edit<Fields>>(NO_EDIT)
  const conflicts = conflictsOf(edit, stored)
  return {
    draft: { ...stored, ...edit.changed },
    change: changeOf(edit, stored),
    set: (part: Partial<Fields>) => setEdit(edited(edit, stored, part)),
    reset: () => setEdit(NO_EDIT),
    conflict: {
      conflicts,
      keepMine: () => setEdit(rebased(edit, stored)),
      takeTheirs: () => setEdit(yielded(edit, stored)),
    },
  }
}

export type EditConflict = ReturnType<typeof useEdit>['conflict']
