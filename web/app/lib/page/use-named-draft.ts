import { useState } from 'react'
import { useEdit } from './use-edit.ts'

type DraftName = { name: string }

type NamedParts<Fields, Change> = {
  nameProblemOf: (name: string) => string | null
  change: Change
  /** What is stored; empty fields for something new. */
  stored: Fields
}

/** The draft of something new with a name. The problem beside the name is the form's own.
 * @returns `fields`: props for the fields of the draft · `form`: props for the form around them */
export function useNamedDraft<Fields extends DraftName, Change>(parts: NamedParts<Fields, Change>) {
  const { draft, change, set } = useEdit(parts.stored)
  const name = useNameProblem(parts.nameProblemOf)
  const input = () => (name.isGood(draft.name) ? draft : null)
  return {
    fields: { draft, nameProblem: name.problem, onChange: set },
    form: { change: parts.change, input, unsaved: change !== null },
  }
}

/** The edit of something stored that has a name: as `useNamedDraft`, and sends only what differs. */
export function useNamedEdit<Fields extends DraftName, Change>(
  parts: NamedParts<Fields, Change> & { recordId: string },
) {
  const { draft, change, set, conflict } = useEdit(parts.stored)
  const name = useNameProblem(parts.nameProblemOf)
  const input = () => (name.isGood(draft.name) ? change : null)
  const edited = { conflict, recordId: parts.recordId, isUnchanged: change === null }
  return {
    fields: { draft, nameProblem: name.problem, onChange: set },
    form: { change: parts.change, input, unsaved: change !== null, edited },
  }
}

function useNameProblem(nameProblemOf: (name: string) => string | null) {
  const [problem, setProblem] = useState<string | null>(null)
  const isGood = (name: string) => {
    const found = nameProblemOf(name)
    setProblem(found)
    return found === null
  }
  return { isGood, problem }
}
