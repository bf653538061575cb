import { type ReactNode, useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { EnvChip } from '../../../ui/env-chip.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { WholeWords } from '../../../ui/whole-words.tsx'
import type { ApprovalOffer } from '../offer.ts'
import type { LoadedRequest } from '../request-state.ts'
import type { ChosenPlace } from './use-place.ts'

/** Whether the person chooses another place, and the button that lets them. What can be chosen is folded away once
 * something is chosen. */
export function usePlaceChoice(place: ChosenPlace, { action, choice = null }: ApprovalOffer) {
  const [isWanted, setWanted] = useState(false)
  const isChosen = place.workspaceId !== null && action !== null && action.name !== null
  const hasChoice = choice !== null || place.offered.length > 1
  const isOpen = hasChoice && (isWanted || !isChosen)
  const button = hasChoice && !isOpen && (
    <button
      type="button"
      onClick={() => setWanted(true)}
      className="-mx-2 -my-1 rounded-sm px-2 py-1 text-xs font-medium hover:underline"
    >
      Change
    </button>
  )
  return { isOpen, button }
}

/** Where the values come from or go to, over the command. */
export function PlaceName({ action, change }: { action: ApprovalOffer['action']; change: ReactNode }) {
  if (action === null || action.name === null) return null
  const { name, note } = action
  return (
    <p className="mb-2 flex items-center gap-2 text-ink-soft">
      {name.includes('/') && <EnvChip name={name} />}
      <span className="min-w-0 flex-1">
        <WholeWords text={name} /> {note !== undefined && <Badge tone="accent">{note}</Badge>}
      </span>
      {change}
    </p>
  )
}

type PlaceChoiceProps = { request: LoadedRequest; place: ChosenPlace; offer: ApprovalOffer }

/** The other workspaces and bundles. A workspace is not shown where there is only one to choose. */
export function PlaceChoice({ request: { candidates }, place, offer: { choice = null } }: PlaceChoiceProps) {
  const { workspaceId: chosenId, offered } = place
  const named = offered.map(({ id, name }) => [id, name] as const)
  const having = new Set(candidates.map(({ workspace }) => workspace.id))
  return (
    <div className="mt-4 space-y-3 rounded-md bg-sunken p-4">
      {(offered.length > 1 || chosenId === null) && (
        <div>
          <SelectField
            label="Workspace"
            value={chosenId ?? ''}
            options={chosenId === null ? [['', 'Choose a workspace'], ...named] : named}
            onChange={place.chooseWorkspace}
          />
          {chosenId === null && candidates.length > 1 && (
            <Notice tone="plain" className="mt-2">
              <span className="font-mono">{candidates[0]?.bundle.name}</span> is in {candidates.length} of
              your workspaces: {named.flatMap(([id, name]) => (having.has(id) ? [name] : [])).join(', ')}.
              Choose the one that you mean.
            </Notice>
          )}
        </div>
      )}
      {choice}
    </div>
  )
}
