import { type ReactNode, useState } from 'react'
import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { type KeyUpdateInput, useWeaker } from '../../lib/data/keys.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SecretCheckbox } from '../../ui/secret-checkbox.tsx'
import { Select } from '../../ui/select.tsx'
import { WeakerNotice } from '../../ui/stricter-notice.tsx'

type ReachDialogProps = {
  item: KeyWithBundles
  /** The bundle that the person came from, if any. */
  bundleId: string | null
  change: KeyUpdateInput
  busy: boolean
  problem: string | null
  /** `bundleId` null: in every bundle. `mark`: of the bundle's new key, if the person has to choose it. */
  onConfirm: (bundleId: string | null, mark: { is_secret?: boolean }) => void
  onClose: () => void
}

/** Asks how far a change of a shared key reaches: all its bundles, or one of them. */
export function ReachDialog({ item, bundleId, change, onConfirm, ...question }: ReachDialogProps) {
  const { bundles } = item
  const [only, setOnly] = useState(bundles.some(({ id }) => id === bundleId) ? bundleId : null)
  const [isHidden, setHidden] = useState(true)
  const [first] = bundles
  const isNewKey = only !== null && change.value !== undefined
  const asksMark = isNewKey && !item.is_secret && change.is_secret === undefined
  // Without a new value, the bundle's new key gets a copy of the old one.
  const weaker = useWeaker([item.id], change.value === undefined ? only : null)
  return (
    <ConfirmDialog
      {...question}
      title={`Where does ${variableOf(item, bundleId)} change?`}
      action={only === null ? `Change all ${bundles.length} bundles` : 'Change only this bundle'}
      look="primary"
      bodyClass=""
      onConfirm={() => onConfirm(only, asksMark ? { is_secret: isHidden } : {})}
    >
      <fieldset className="space-y-3">
        <legend className="sr-only">Where the key changes</legend>
        <Reach checked={only === null} onChoose={() => setOnly(null)}>
          In all {bundles.length} bundles
          <BundleNames bundles={bundles} />
        </Reach>
        <Reach checked={only !== null} onChoose={() => setOnly(first?.id ?? null)}>
          Only in one bundle
          <span className="block text-sm text-ink-soft">
            It gets its own key. The others keep the value they have.
          </span>
        </Reach>
      </fieldset>
      {only !== null && (
        <Select
          aria-label="Bundle that gets its own value"
          value={only}
          options={bundles.map(({ id, name }) => [id, name])}
          onChange={setOnly}
          className="field mt-2 ml-8 w-[calc(100%-2rem)] font-mono text-sm"
        />
      )}
      {asksMark && (
        <div className="mt-3 ml-8">
          <SecretCheckbox checked={isHidden} onChange={setHidden} />
        </div>
      )}
      <WeakerNotice names={weaker} />
      {change.is_secret === false && (
        <Notice tone="caution" className="mt-4">
          The value is no longer secret: every member of the workspace can read it. You cannot take back what
          people have read.
        </Notice>
      )}
    </ConfirmDialog>
  )
}

type ReachProps = { checked: boolean; onChoose: () => void; children: ReactNode }

function Reach({ checked, onChoose, children }: ReachProps) {
  return (
    <label className="flex items-start gap-3">
      <input type="radio" name="reach" className="checkbox mt-0.5" checked={checked} onChange={onChoose} />
      <span className="min-w-0">{children}</span>
    </label>
  )
}

function BundleNames({ bundles }: { bundles: KeyWithBundles['bundles'] }) {
  return (
    <span className="block max-h-40 overflow-auto font-mono text-sm text-ink-soft">
      {bundles.map(({ id, name }) => (
        <span key={id} className="block [overflow-wrap:anywhere]">
          <EntryName name={name} />
        </span>
      ))}
    </span>
  )
}
