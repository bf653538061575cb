import { useState } from 'react'
import { describeFailure } from './failure.ts'
import { useUnsaved } from './unsaved.ts'

type SaveOptions<Saved> = { onSuccess: (saved: Saved) => void; onError: (error: Error) => void }

type NamedDraftParts<Draft, Saved> = {
  /** What is stored; empty fields for something new. */
  stored: Draft
  nameProblemOf: (name: string) => string | null
  save: { mutate: (draft: Draft, options: SaveOptions<Saved>) => void }
  onSaved: (saved: Saved) => void
}

/** The draft of something with a name. The problem beside the name is the form's own, or the server's refusal.
 * @returns `fields`: props for the fields of the draft */
export function useNamedDraft<Draft extends { name: string }, Saved>({
  stored,
  nameProblemOf,
  save,
  onSaved,
}: NamedDraftParts<Draft, Saved>) {
  const [draft, setDraft] = useState(stored)
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const saved = useUnsaved(JSON.stringify(draft) !== JSON.stringify(stored))
  const submit = () => {
    const problem = nameProblemOf(draft.name)
    setNameProblem(problem)
    if (problem !== null) return
    save.mutate(draft, {
      onSuccess: (answer) => {
        saved()
        onSaved(answer)
      },
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  const onChange = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  return { fields: { draft, nameProblem, onChange }, submit }
}
