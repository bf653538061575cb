import { useState } from 'react'
import { failureText } from '../calls/failure.ts'

type NamedDraftParts<Draft, Change> = {
  /** What is stored; empty fields for something new. */
  stored: Draft
  nameProblemOf: (name: string) => string | null
  change: Change
}

/** The draft of something with a name. The problem beside the name is the form's own, or the server's refusal.
 * @returns `fields`: props for the fields of the draft · `form`: props for the form around them */
export function useNamedDraft<Draft extends { name: string }, Change extends { error: Error | null }>({
  stored,
  nameProblemOf,
  change,
}: NamedDraftParts<Draft, Change>) {
  const [draft, setDraft] = useState(stored)
  const [problem, setProblem] = useState<string | null>(null)
  const input = () => {
    const found = nameProblemOf(draft.name)
    setProblem(found)
    return found === null ? draft : null
  }
  const onChange = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const unsaved = JSON.stringify(draft) !== JSON.stringify(stored)
  return {
    fields: { draft, nameProblem: problem ?? failureText(change.error), onChange },
    form: { change, input, unsaved, hidesError: true },
  }
}
