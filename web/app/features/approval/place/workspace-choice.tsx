import type { Candidate, Tenant } from '../../../lib/calls/answers.ts'
import { toldApart } from '../../../lib/words/workspace-names.ts'
import { Notice } from '../../../ui/notice.tsx'
import { SelectField } from '../../../ui/select.tsx'
import type { OpenRequest } from '../request-state.ts'
import type { ChosenPlace } from './use-place.ts'

type WorkspaceChoiceProps = { request: OpenRequest; place: ChosenPlace }

/** The workspace to decide for; not shown to a person who has only one. */
export function WorkspaceChoice({ request: { candidates, person }, place }: WorkspaceChoiceProps) {
  const { workspaceId: chosenId } = place
  const shown = toldApart(person.workspaces)
  const named = shown.map(({ id, name }) => [id, name] as const)
  if (person.workspaces.length < 2 && chosenId !== null) return null
  return (
    <div className="mb-3">
      <SelectField
        label="Workspace"
        value={chosenId ?? ''}
        options={chosenId === null ? [['', 'Choose a workspace'], ...named] : named}
        onChange={place.chooseWorkspace}
      />
      {chosenId === null && candidates.length > 1 && <SeveralNote {...{ candidates, shown }} />}
    </div>
  )
}

function SeveralNote({ candidates, shown }: { candidates: readonly Candidate[]; shown: readonly Tenant[] }) {
  const having = new Set(candidates.map(({ workspace }) => workspace.id))
  const names = shown.flatMap(({ id, name }) => (having.has(id) ? [name] : []))
  return (
    <Notice tone="caution" className="mt-2">
      <span className="font-mono">{candidates[0]?.bundle.name}</span> is in {candidates.length} of your
      workspaces: {names.join(', ')}. Choose the one that you mean.
    </Notice>
  )
}
