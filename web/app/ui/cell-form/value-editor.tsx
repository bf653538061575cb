import { areSiblings, environmentOf } from '@keyferry/contract/siblings'
import { useState } from 'react'
import type { SavedKey } from '../../lib/calls/answers.ts'
import { isOvertaken } from '../../lib/calls/failure.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useProduction } from '../../lib/data/bundles.ts'
import { isStale, useHolders } from '../../lib/data/holders.ts'
import { useSaveKey } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useKeyDraft } from '../../lib/page/use-key-draft.ts'
import type { DraftedKey } from '../../lib/rules/key-edit.ts'
import { templateIn } from '../../lib/rules/templates.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { joined, listed } from '../../lib/words/counted.ts'
import { formerText, holderNames, olderHoldersText } from '../../lib/words/holder-text.ts'
import { ConflictNotice } from '../conflict-notice.tsx'
import { FailureNotice } from '../notice.tsx'
import { Select } from '../select.tsx'
import { TemplateChoice } from '../template-choice.tsx'
import { notify } from '../toast-store.ts'
import { CellForm } from './cell-form.tsx'
import { useUndo } from './use-undo.ts'

type ValueEditorProps = {
  keyId: string
  /** What the page knows of the key before the server answers. */
  seen: DraftedKey
  /** The bundle in which the value is changed; none for a key that no bundle uses. */
  bundle: { id: string; name: string } | undefined
  /** `saved`: null if the person leaves without saving. */
  onDone: (saved: SavedKey | null) => void
}

/** The value of a key as a field, in its place. It takes text at once; where that goes is below it, once the page knows
 * which bundles use the key. A value stays secret or readable. */
export function ValueEditor({ keyId, seen, bundle, onDone }: ValueEditorProps) {
  const asked = useAnswer('getKey', { key_id: keyId }, { staleTime: 0 })
  const saving = useSaveKey(keyId)
  const item = asked.data ?? seen
  const { draft, change, setValue, notice } = useKeyDraft(item, { isSaving: saving.isPending })
  const { only, reached, production, isKnown, sentence } = useReach(item, bundle)
  const { text, is_template } = draft.value
  const undoOf = useUndo(item, bundle?.id)
  const isTouched = change.value !== undefined || change.is_template !== undefined
  const saved = useUnsaved(isTouched)
  const name = variableOf(item, bundle?.id)
  // A bundle that gets its own key gets another cell, which takes along the callbacks of a plain `mutate`.
  const save = async () => {
    const key = await saving.mutateAsync({ change, bundleId: only }).catch(() => null)
    if (key === null) return
    saved()
    onDone(key)
    const where = reached.length > 1 ? `${reached.length} bundles` : reached[0]?.name
    const place = where === undefined ? '' : ` in ${where}`
    const others = item.bundles.filter((each) => !reached.includes(each)).map((each) => each.name)
    const rest =
      others.length === 0
        ? ''
        : ` ${listed(others, MOST_NAMED)} ${others.length === 1 ? 'keeps' : 'keep'} the old value.`
    const elsewhere = `${rest}${olderHoldersText(key)}${formerText(key)}`
    notify({ text: `Saved ${name}${place}, v${key.version}.${elsewhere}`, ...undoOf(key) })
  }
  const template = templateIn(text ?? '')
  return (
    <CellForm
      label={`Value of ${name}${bundle === undefined ? '' : ` in ${bundle.name}`}`}
      value={text ?? ''}
      isSecret={item.is_secret}
      onChange={(typed) => setValue({ text: typed === '' && item.is_secret ? null : typed })}
      placeholder={item.is_secret ? 'New value' : ''}
      problem={is_template && text !== null ? template.problem : null}
      action={`${text === '' ? 'Save empty' : 'Save'}${production}`}
      isProduction={production !== ''}
      isReady={isTouched && isKnown && asked.data !== undefined}
      busy={saving.isPending}
      onSave={() => void save()}
      onClose={() => onDone(null)}
    >
      {sentence}
      {only === null && <Keeping keyId={keyId} item={item} />}
      {(is_template || template.parts.length > 0) && (
        <TemplateChoice
          checked={is_template}
          onChange={(chosen) => setValue({ is_template: chosen })}
          parts={text === null ? item.template_parts : template.parts}
          bundles={item.bundles}
        />
      )}
      <ConflictNotice {...notice} />
      <FailureNotice error={isOvertaken(saving.error) ? null : (saving.error ?? asked.error)} act="save it" />
    </CellForm>
  )
}

/** Which bundles a new value reaches. `only`: the one bundle that changes; null: every one that uses the key.
 * `production`: what the button says of those for production; empty for none. */
function useReach(item: DraftedKey, bundle: ValueEditorProps['bundle']) {
  const production = useProduction()
  const may = useMay()
  const [wantsAll, setAll] = useState(false)
  const canSplit = may('splitKey') && bundle !== undefined && item.bundles.length > 1
  const only = canSplit && !wantsAll ? bundle.id : null
  const reached = item.bundles.filter(({ id }) => only === null || id === only)
  const labelsOf = (some: readonly { name: string }[]) =>
    some.map(({ name }) => (areSiblings(name, bundle?.name ?? '') && environmentOf(name)) || name)
  const red = labelsOf(reached.filter(({ id }) => production?.has(id)))
  const [here = ''] = labelsOf(bundle === undefined ? [] : [bundle])
  const others = labelsOf(item.bundles.filter(({ id }) => id !== bundle?.id))
  const too = reached.length > red.length ? ' too' : ''
  return {
    only,
    reached,
    // Without the bundles nobody knows what is production.
    isKnown: production !== undefined,
    production: red.length === 0 ? '' : ` in ${listed(red, 2)}${too}`,
    sentence: others.length > 0 && (
      <SavedIn {...{ canSplit, wantsAll, setAll, here, others }} kept={keptText(item)} />
    ),
  }
}

type SavedInProps = {
  canSplit: boolean
  wantsAll: boolean
  setAll: (all: boolean) => void
  /** What the page calls this bundle and the others. */
  here: string
  others: readonly string[]
  kept: string
}

const MOST_NAMED = 3

/** Where a value is saved that several bundles use: in one sentence, with the one choice. */
function SavedIn({ canSplit, wantsAll, setAll, here, others, kept }: SavedInProps) {
  const named =
    others.length > MOST_NAMED ? `all ${others.length + 1} bundles` : joined([here, ...others], 'and')
  const rest = others.length > MOST_NAMED ? `${others.length} other bundles` : joined(others, 'and')
  return (
    <p className="text-ink-soft">
      Saved in{' '}
      {canSplit ? (
        <Select
          aria-label="Saved in"
          className="choice"
          value={wantsAll ? 'all' : 'here'}
          options={{ here: `${here} only`, all: named }}
          onChange={(chosen) => setAll(chosen === 'all')}
        />
      ) : (
        named
      )}
      .{canSplit && !wantsAll && ` ${rest} ${others.length === 1 ? 'keeps' : 'keep'} ${kept}.`}
    </p>
  )
}

/** Who still has the value once it changes. */
function Keeping({ keyId, item }: { keyId: string; item: DraftedKey }) {
  const current = useHolders(keyId).data?.filter((holder) => !isStale(holder, item.version)) ?? []
  if (current.length === 0) return null
  const names = [...new Set(current.map((holder) => holderNames(holder).who))]
  return (
    <p className="text-ink-soft">
      {listed(names, MOST_NAMED)} {names.length === 1 ? 'keeps' : 'keep'} {keptText(item)} until they fetch.
    </p>
  )
}

const MOST_SHOWN = 24

function keptText({ is_secret, value, version }: DraftedKey): string {
  const isShown = !is_secret && value !== '' && value.length <= MOST_SHOWN && !value.includes('\n')
  return isShown ? value : `v${version}`
}
