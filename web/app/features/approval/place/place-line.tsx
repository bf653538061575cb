import { type ReactNode, useState } from 'react'
import type { Candidate, Tenant } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { WholeWords } from '../../../ui/whole-words.tsx'
import type { ApprovalOffer } from '../offer.ts'
import type { LoadedRequest } from '../request-state.ts'
import type { ChosenPlace } from './use-place.ts'

type PlaceLineProps = { request: LoadedRequest; place: ChosenPlace; offer: ApprovalOffer }

/** What is approved and of which bundle, in one line. What can be chosen instead is folded away once it is chosen. */
export function PlaceLine({ request, place, offer: { action, choice = null } }: PlaceLineProps) {
  const [isOpen, setOpen] = useState(false)
  const isChosen = place.workspaceId !== null && action !== null && action.name !== null
  const isChoosing = isOpen || !isChosen
  const hasChoice = choice !== null || place.offered.length > 1
  return (
    <div>
      {isChosen && (
        <p className="flex items-baseline gap-x-3">
          <strong className="min-w-0 flex-1 font-medium">
            <Chosen {...action} />
          </strong>
          {hasChoice && !isOpen && (
            <Button label="Change" look="quiet" size="small" onClick={() => setOpen(true)} />
          )}
        </p>
      )}
      {isChoosing && hasChoice && (
        <div className="mt-1 mb-2 space-y-3 rounded-md border border-line bg-surface p-3">
          <WorkspaceChoice request={request} place={place} />
          {choice}
        </div>
      )}
    </div>
  )
}

function Chosen({ name, count, thing, note }: NonNullable<ApprovalOffer['action']>): ReactNode {
  return (
    <>
      <WholeWords text={name ?? ''} /> · <span className="whitespace-nowrap">{counted(count, thing)}</span>
      {note !== undefined && <span className="font-normal text-ink-soft"> ({note})</span>}
    </>
  )
}

type WorkspaceChoiceProps = { request: LoadedRequest; place: ChosenPlace }

/** The workspace to decide for; not shown where there is only one to choose. */
function WorkspaceChoice({ request: { candidates }, place }: WorkspaceChoiceProps) {
  const { workspaceId: chosenId, offered: shown } = place
  const named = shown.map(({ id, name }) => [id, name] as const)
  if (shown.length < 2 && chosenId !== null) return null
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
