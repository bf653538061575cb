import type { Production } from '@keyferry/contract/production'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { PolicyChange, RulesPlace } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import { counted } from '../../lib/words/counted.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { Button } from '../../ui/button.tsx'
import { EntryLink } from '../../ui/entry-name.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { Circle, CircleCheck } from '../../ui/icons.ts'
import { Menu } from '../../ui/menu.tsx'
import { withToast } from '../../ui/toast-store.ts'
import { askFor } from './asked-change.ts'
import { RuleExample } from './rule-example.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import { type Chosen, choiceOf, labelOf, loosens, placeName, policyWith } from './rule-words.ts'

type PlaceRulesProps = {
  place: RulesPlace
  /** What loosens a rule here and waits for a confirmation. */
  asked: Chosen | null
  /** The folders that the same sentence is said for. */
  alike: readonly RulesPlace[]
}

/** The rules of one place: its sentence, and an example. */
export function PlaceRules({ place, asked, alike }: PlaceRulesProps) {
  const { choose, save, isPending } = useRuleChange(place)
  const [pointed, setPointed] = useState<Chosen | null>(null)
  const members = useAnswer('listMembers', {}).data ?? []
  const bundle = useBundleIn(place)
  const shown = pointed ?? asked
  const { is_production } = place
  return (
    <li aria-label={placeName(place)} className="p-4 sm:p-6">
      <h2 className="flex flex-wrap items-center gap-3 overflow-hidden -m-1 p-1">
        {place.bundle === null ? (
          <EnvChip name={placeName(place)} isProduction={is_production} />
        ) : (
          <BundleHead place={place} bundle={place.bundle} />
        )}
        {alike.map((other) => (
          <Link
            key={placeName(other)}
            href={`/rules?folder=${placeName(other)}`}
            title={`Rules for ${placeName(other)}`}
          >
            <EnvChip name={placeName(other)} />
          </Link>
        ))}
      </h2>
      <RuleSentence place={place} onChoose={choose} onPoint={setPointed} />
      <RuleExample
        policy={shown === null ? place.effective : policyWith(place, shown)}
        {...{ members, bundle }}
      />
      {asked !== null && (
        <ConfirmLooser
          {...{ place, asked, isPending }}
          onConfirm={() => {
            askFor(null)
            save(asked)
          }}
        />
      )}
    </li>
  )
}

/** The name of a bundle in a place, for the example. */
function useBundleIn({ variable, folder, bundle }: RulesPlace): string {
  const bundles = useAnswer(
    'listBundles',
    { query: folder ?? '', limit: 20 },
    { enabled: bundle === null },
  ).data
  const found = bundles?.find(({ name }) => folder === null || name.startsWith(folder))
  return variable ?? bundle?.name ?? found?.name ?? `${folder ?? ''}app`
}

type ConfirmProps = { place: RulesPlace; asked: Chosen; isPending: boolean; onConfirm: () => void }

/** Asks, where the rule stands, whether it shall be looser. */
function ConfirmLooser({ place, asked: { field, ...asked }, isPending, onConfirm }: ConfirmProps) {
  const group = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    group.current?.querySelector('button')?.focus()
    group.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const { effective, is_production } = place
  const after = policyWith(place, { field, ...asked })
  return (
    <fieldset
      ref={group}
      aria-label="Loosen this rule?"
      className="mt-3 flex flex-wrap items-center gap-3 rounded-md bg-caution-soft p-3 text-sm"
    >
      <p className="flex-1 basis-64">
        This loosens “{labelOf(field)}” of {placeName(place)}: from{' '}
        <strong className="font-medium">{choiceOf(field, effective[field]).word}</strong> to{' '}
        <strong className="font-medium">{choiceOf(field, after[field]).word}</strong>.
      </p>
      <Button label="Keep it" size="small" onClick={() => askFor(null)} />
      <ActButton
        type="button"
        label="Loosen the rule"
        size="small"
        isProduction={is_production}
        busy={isPending}
        onClick={onConfirm}
      />
    </fieldset>
  )
}

const PRODUCTION: Readonly<Record<Production, string>> = {
  by_name: 'As its name and tags say',
  yes: 'For production',
  no: 'Not for production',
}

type BundleHeadProps = { place: RulesPlace; bundle: { id: string; name: string } }

function BundleHead({ place: { is_production, production }, bundle }: BundleHeadProps) {
  const may = useMay()
  const save = useChange('changeBundlePolicy', { bundle_id: bundle.id })
  const now = is_production ? 'for production' : 'not for production'
  const item = (chosen: Production) => ({
    label: PRODUCTION[chosen],
    icon: chosen === production ? CircleCheck : Circle,
    isChosen: chosen === production,
    onPick: () =>
      save.mutate(
        { production: chosen, expected: { production } },
        withToast(`change ${bundle.name}`, `Saved: ${PRODUCTION[chosen]}.`),
      ),
  })
  return (
    <>
      <EnvChip name={bundle.name} isProduction={is_production} isMention />
      {may('changeBundlePolicy') ? (
        <Menu
          label={`Production, ${bundle.name}`}
          items={[item('by_name'), item('yes'), item('no')]}
          className="rule-above text-xs text-ink-soft"
        >
          {now}
        </Menu>
      ) : (
        <span className="text-xs text-ink-soft">{now}</span>
      )}
      <AlsoStricter bundleId={bundle.id} />
    </>
  )
}

/** The other bundles in which the rules of a bundle count too: those that share secrets with it. */
function AlsoStricter({ bundleId }: { bundleId: string }) {
  const also = useAnswer('getBundlePolicy', { bundle_id: bundleId }).data?.also ?? []
  if (also.length === 0) return null
  return (
    <details className="text-xs font-normal text-ink-soft">
      <summary className="rounded-sm">
        Also counts for secrets in {counted(also.length, 'other bundle')}
      </summary>
      <ul className="mt-1">
        {also.map(({ bundle, secrets }) => (
          <li key={bundle.id}>
            <EntryLink href={`/bundles/${bundle.id}`} name={bundle.name} />: {counted(secrets, 'secret')}
          </li>
        ))}
      </ul>
      <p>To exempt a bundle, give it its own value.</p>
    </details>
  )
}

/** Saves a stricter rule at once, with an undo. A looser rule needs a confirmation first. */
function useRuleChange(place: RulesPlace) {
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
      navigate(place.folder === null ? '/rules' : `/rules?folder=${place.folder}`)
    }
    const text = value === null ? 'the rule is gone' : choiceOf(field, value).word
    const undone = loosens(place, chosen) ? undefined : undo
    const saved = `${labelOf(field)}, ${name}: ${text}. Remembered approvals there ended.`
    const ending = withToast(`change the rule of ${name}`, saved, undone)
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
