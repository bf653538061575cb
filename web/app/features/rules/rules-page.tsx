import { useState, useSyncExternalStore } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { RulesPlace, TenantPolicy } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { ALL, useGrants } from '../../lib/data/lists.ts'
import { useMay } from '../../lib/data/me.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { GrantList } from '../../ui/grants/grant-list.tsx'
import { Plus } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Section } from '../../ui/section.tsx'
import { withToast } from '../../ui/toast-store.ts'
import { askedChange, onAsked } from './asked-change.ts'
import { PlaceRules } from './place-rules.tsx'
import { placeName } from './rule-words.ts'

/** What an approval takes, for the workspace, for each environment and for single bundles. */
export function RulesPage() {
  const [params] = useSearchParams()
  const [bundle, folder] = [params.get('bundle') ?? undefined, params.get('folder') ?? undefined]
  const policy = useAnswer('getTenantPolicy', { places: '1', bundle_id: bundle, folder })
  return (
    <>
      <PageHeading title="Rules" intro="Who may say yes, how, and for how long. The strictest rule counts." />
      <Loaded query={policy} what="the rules">
        {(data) => <Places policy={data} />}
      </Loaded>
      <WorkspaceGrants />
    </>
  )
}

function Places({ policy: { places = [], advice, workspace } }: { policy: TenantPolicy }) {
  const asked = useSearchParams()[0].get('folder')
  const wide = places.filter(({ bundle }) => bundle === null)
  const alike = wide.filter((place) => place.folder !== asked && followsAll(place, wide))
  const apart = wide.filter((place) => !alike.includes(place))
  const canChange = useMay()('changeTenantPolicy')
  return (
    <>
      {canChange && advice.includes('use_bound') && <UseBound assurance={workspace.assurance} />}
      <PlaceList
        places={apart.toSorted((a, b) => Number(b.is_production) - Number(a.is_production))}
        alike={alike}
      />
      <Section
        title="For one bundle"
        size="large"
        className="mt-8"
        headingClass="mb-3"
        intro="Stricter than its environment, never looser."
        action={canChange && <AddPlace />}
      >
        <PlaceList places={places.filter(({ bundle }) => bundle !== null)} />
      </Section>
      <p className="mt-3 px-4 text-xs text-ink-faint sm:px-6">
        {canChange && (
          <>
            <span className="rule-set">marked</span> is set here,{' '}
            <span className="rule-above">underlined</span> comes from above.{' '}
          </>
        )}
        A change ends the remembered approvals of its place.
      </p>
    </>
  )
}

/** Whether the sentence of a folder would only repeat that of all bundles. */
function followsAll({ folder, set, is_production, effective }: RulesPlace, places: readonly RulesPlace[]) {
  const all = places.find((place) => place.folder === null && place.variable === null)
  if (folder === null || is_production || Object.values(set).some((rule) => rule !== null)) return false
  return all !== undefined && Object.entries(effective).join() === Object.entries(all.effective).join()
}

/** `alike`: the folders that the rules of all bundles are said for too. */
function PlaceList({ places, alike = [] }: { places: readonly RulesPlace[]; alike?: readonly RulesPlace[] }) {
  const asked = useSyncExternalStore(onAsked, askedChange)
  if (places.length === 0) return null
  return (
    <ul className="divide-y divide-line rounded-lg bg-surface shadow-card">
      {places.map((place) => (
        <PlaceRules
          key={place.folder ?? placeName(place)}
          place={place}
          alike={place.folder === null && place.bundle === null ? alike : []}
          asked={asked?.place === placeName(place) ? asked.chosen : null}
        />
      ))}
    </ul>
  )
}

function AddPlace() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button label="Bundle or folder" icon={Plus} size="small" onClick={() => setOpen(true)} />
      {isOpen && <PlaceDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function UseBound({ assurance }: { assurance: TenantPolicy['workspace']['assurance'] }) {
  const save = useChange('changeTenantPolicy', {})
  return (
    <Notice tone="caution" className="mb-4 max-w-read">
      <p>
        One careless click on a link is enough to give values to an attacker. Let approvals return to the
        terminal that asked: then a click alone gives nothing.
      </p>
      <Button
        label="Return approvals to the terminal"
        size="small"
        className="mt-2"
        busy={save.isPending}
        onClick={() =>
          save.mutate(
            { assurance: 'bound', expected: { assurance } },
            withToast('change the rule', 'Saved. Remembered approvals ended.'),
          )
        }
      />
    </Notice>
  )
}

/** The remembered approvals of all members, for owners. */
function WorkspaceGrants() {
  const may = useMay()
  const grants = useGrants().data ?? []
  if (!may('changeTenantPolicy') || grants.length === 0) return null
  return (
    <Section
      title="Remembered approvals"
      count={grants.length}
      size="large"
      className="mt-8"
      headingClass="mb-1"
      intro="Commands that start without a new approval on one terminal."
    >
      <GrantList grants={grants} namesPeople />
    </Section>
  )
}

/** Chooses a bundle or a folder that has no rules yet. */
function PlaceDialog({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const bundles = useAnswer('listBundles', ALL).data ?? []
  const folders = [...new Set(bundles.flatMap(({ name }) => foldersOf(name)))].toSorted()
  const options = [...folders.map((name) => ({ id: `folder=${name}`, name })), ...bundles.map(bundleOption)]
  return (
    <Dialog title="Rules for a bundle or folder" onClose={onClose}>
      <Combobox label="Bundle or folder" {...{ options, chosenId }} onChoose={setChosenId} />
      <div className="mt-6 flex justify-end gap-3">
        <Button label="Cancel" onClick={onClose} />
        <Button
          label="Show its rules"
          look="primary"
          disabled={chosenId === null}
          onClick={() => {
            onClose()
            navigate(`/rules?${chosenId}`)
          }}
        />
      </div>
    </Dialog>
  )
}

const bundleOption = ({ id, name }: { id: string; name: string }) => ({ id: `bundle=${id}`, name })

/** Every folder that a bundle is in. */
function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}
