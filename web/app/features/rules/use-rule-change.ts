import { useLocation } from 'wouter'
import type { PolicyChange, RulesPlace } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { withToast } from '../../ui/toast-store.ts'
import { askFor } from './asked-change.ts'
import { type Chosen, choiceOf, loosens, placeName } from './rule-words.ts'

/** How a place changes: what tightens is saved at once and can be undone, what loosens is confirmed first. */
export function useRuleChange(place: RulesPlace) {
  const [, navigate] = useLocation()
  const ofBundle = useChange('changeBundlePolicy', { bundle_id: place.bundle?.id ?? '' })
  const ofTenant = useChange('changeTenantPolicy', {})
  const isPending = ofBundle.isPending || ofTenant.isPending
  const { set } = place
  const name = placeName(place)

  const save = (chosen: Chosen) => {
    const { field, value } = chosen
    const before: Chosen = { field, value: set[field], people: set.people }
    const undo = () => {
      askFor({ place: name, chosen: before })
      navigate('/rules')
    }
    const text = value === null ? 'The rule is gone' : `Saved: ${choiceOf(field, value).word}`
    const undone = loosens(place, chosen) ? undefined : undo
    const ending = withToast(`${text}, ${name}. Remembered approvals there ended.`, undone)
    const change = { ...changeFor(chosen), expected: { [field]: set[field] } }
    if (place.bundle !== null) ofBundle.mutate(change, ending)
    else ofTenant.mutate(place.folder === null ? change : { ...change, folder: place.folder }, ending)
  }
  const choose = (chosen: Chosen) => {
    if (loosens(place, chosen)) askFor({ place: name, chosen })
    else save(chosen)
  }
  return { choose, save, isPending }
}

// People belong to the named approvers, so both are sent together.
function changeFor({ field, value, people = null }: Chosen): PolicyChange {
  const change = { [field]: value }
  return field === 'approvers' ? { ...change, people: value === 'named' ? people : null } : change
}
