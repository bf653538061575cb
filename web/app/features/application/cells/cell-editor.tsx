import { isProduction } from '@keyferry/contract/production'
import { type KeyboardEvent, useState } from 'react'
import type { Bundle, KeyWithBundles, SavedKey } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { isOvertaken } from '../../../lib/calls/failure.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../../lib/calls/use-call.ts'
import { useSaveKey } from '../../../lib/data/keys.ts'
import { useMay } from '../../../lib/data/me.ts'
import { isComposing } from '../../../lib/page/composing.ts'
import { useClosing, useUnsaved } from '../../../lib/page/unsaved.ts'
import { useKeyDraft } from '../../../lib/page/use-key-draft.ts'
import { valueProblem } from '../../../lib/rules/value-warnings.ts'
import { listed } from '../../../lib/words/counted.ts'
import { olderHoldersText } from '../../../lib/words/holder-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { ConflictNotice } from '../../../ui/conflict-notice.tsx'
import { Form } from '../../../ui/form.tsx'
import { Link2 } from '../../../ui/icons.ts'
import { FailureNotice, Notice } from '../../../ui/notice.tsx'
import { notify, notifyFailure } from '../../../ui/toast-store.ts'
import type { EnvironmentColumn } from '../environment/environments.ts'
import { ArmedButton } from './armed-button.tsx'
import { CellField } from './cell-field.tsx'
import type { CellParts } from './cell-view.tsx'

type CellEditorProps = Pick<CellParts, 'row' | 'bundle'> & { keyId: string; onClose: () => void }

/** The value of a cell as a field, in its place: whom the change touches and the ways to save are under it. */
export function CellEditor({ keyId, ...props }: CellEditorProps) {
  const key = useAnswer('getKey', { key_id: keyId }, { staleTime: 0 }).data
  if (key === undefined) return null
  return key.may_change ? (
    <ValueForm {...props} held={key} />
  ) : (
    <Notice tone="plain">You may not change this value. The rules of the bundle say who may.</Notice>
  )
}

type CellFormProps = Omit<CellEditorProps, 'keyId'> & { held: KeyWithBundles }

function ValueForm(props: CellFormProps) {
  const { row, bundle, held } = props
  const { edit, ways, ask, asked, save, saving, mark, close, onKeyDown } = useValue(props)
  const others = held.bundles.filter(({ id }) => id !== bundle.id).map(({ name }) => name)
  const button = { size: 'small', disabled: !edit.isReady, busy: saving.isPending } as const
  return (
    <Form busy={saving.isPending} onSubmit={() => ask(ways[0])} className="space-y-2 pb-3">
      <CellField
        label={`Value of ${row.name} in ${bundle.name}`}
        value={edit.value}
        isSecret={held.is_secret}
        onChange={edit.setValue}
        onKeyDown={onKeyDown}
        problem={edit.problem}
        placeholder={held.is_secret ? 'New value' : ''}
      />
      <div className="space-y-2 sm:px-4">
        {others.length > 0 && (
          <p className="flex items-start gap-2 text-ink-soft">
            <Link2 aria-hidden size={14} className="mt-0.5 shrink-0" />
            <span>
              {listed(others, 3)} {others.length === 1 ? 'uses' : 'use'} this value too
            </span>
          </p>
        )}
        {mark.isAsked && (
          <Checkbox
            className="inline-flex items-center gap-2"
            checked={mark.isHidden}
            onChange={mark.setHidden}
            label={`Secret, if saved only in ${bundle.label}`}
          />
        )}
        <ConflictNotice {...edit.notice} />
        <FailureNotice error={isOvertaken(saving.error) ? null : saving.error} />
        <div className="flex flex-wrap gap-2">
          {asked === null ? (
            ways.map((way, at) => (
              <Button
                key={way.label}
                {...button}
                label={way.label}
                type={at === 0 ? 'submit' : 'button'}
                look={at === 0 ? 'primary' : 'neutral'}
                onClick={at === 0 ? undefined : () => ask(way)}
              />
            ))
          ) : (
            <ArmedButton label={asked.armed} {...button} onPress={() => void save(asked)} />
          )}
          <Button label="Cancel" size="small" look="quiet" className="px-1.5!" onClick={close} />
        </div>
      </div>
    </Form>
  )
}

/** A way to save. `only`: the one bundle that changes; null: every bundle that uses the key. `armed`: what the button
 * says that confirms it; null where nothing in production changes. */
type Way = { label: string; only: EnvironmentColumn | null; armed: string }
type AskedWay = Way & { isProduction: boolean }

function waysOf(
  bundle: EnvironmentColumn,
  held: KeyWithBundles,
  { canSplit, all }: { canSplit: boolean; all: readonly Bundle[] },
) {
  const here = bundle.label
  const uses = held.bundles.length
  const touched = all.filter(({ id }) => held.bundles.some((used) => used.id === id))
  const everywhere = uses === 2 ? 'both' : `all ${uses}`
  const reachesProduction = touched.some(isProduction)
  const whole: AskedWay = {
    label: uses > 1 ? `Save in ${everywhere}` : isProduction(bundle) ? `Save in ${here}…` : 'Save',
    armed: uses > 1 ? `Save in ${everywhere}, production too` : `Save in ${here}`,
    only: null,
    isProduction: reachesProduction,
  }
  const alone: AskedWay = {
    label: `Only in ${here}`,
    armed: `Save in ${here}`,
    only: bundle,
    isProduction: isProduction(bundle),
  }
  return canSplit && uses > 1 ? [whole, alone] : [whole]
}

function useValue({ row, bundle, held, onClose }: CellFormProps) {
  const saving = useSaveKey(held.id)
  const { draft, change, setValue: setPart, notice } = useKeyDraft(held, { isSaving: saving.isPending })
  const value = draft.value.text ?? ''
  const all = useAnswer('listBundles', {}).data ?? []
  const canSplit = useMay()('splitKey')
  const ways = waysOf(bundle, held, { canSplit, all })
  const [asked, setAsked] = useState<AskedWay | null>(null)
  const [isHidden, setHidden] = useState(true)
  const undoOf = useUndo(held, bundle)
  const isTouched = change.value !== undefined
  const saved = useUnsaved(isTouched)
  const closing = useClosing()
  const close = () => closing(onClose)
  const problem = valueProblem(value)
  const isReady = isTouched && problem === null
  const isAsked = ways.length > 1 && !held.is_secret
  // A bundle that gets its own key gets another cell, which takes along the callbacks of a plain `mutate`.
  const save = async ({ only }: Way) => {
    if (!isReady || saving.isPending) return
    const mark = only !== null && isAsked ? { is_secret: isHidden } : {}
    const key = await saving
      .mutateAsync({ change: { ...change, ...mark }, bundleId: only?.id ?? null })
      .catch(() => null)
    setAsked(null)
    if (key === null) return
    saved()
    onClose()
    const where = only === null && held.bundles.length > 1 ? `${held.bundles.length} bundles` : bundle.name
    notify({
      text: `Saved ${row.name} in ${where}, v${key.version}.${olderHoldersText(key)}`,
      undo: undoOf(key),
    })
  }
  const ask = (way: AskedWay | undefined) => {
    if (way === undefined || !isReady) return
    if (way.isProduction) setAsked(way)
    else void save(way)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (event.key === 'Escape' && asked === null) close()
    else if (event.key === 'Escape') setAsked(null)
    if (event.key !== 'Enter' || event.shiftKey || /[\r\n]/.test(value)) return
    event.preventDefault()
    if (asked === null) ask(ways[0])
  }
  const setValue = (text: string) => {
    setAsked(null)
    setPart({ text: text === '' && held.is_secret ? null : text })
  }
  const edit = { value, setValue, problem, isReady, notice }
  return { edit, ways, ask, asked, save, saving, mark: { isAsked, isHidden, setHidden }, close, onKeyDown }
}

/** Takes a saved value back: the version before, or the key that the bundle shared. The field is gone by then, and with
 * it the callbacks of a plain `mutate`. */
function useUndo(held: KeyWithBundles, bundle: EnvironmentColumn) {
  const undo = useSteps((run: () => Promise<unknown>) => run(), { refreshes: LIBRARY })
  return (key: SavedKey) => () => {
    const { id: key_id, version: expected_version } = key
    const back =
      key_id === held.id
        ? () => call('restoreKeyVersion', { key_id, version: held.version, expected_version })
        : () => call('changeAttachment', { bundle_id: bundle.id, key_id }, { body: { key_id: held.id } })
    void undo.mutateAsync(back).then(() => notify({ text: 'The value from before is back.' }), notifyFailure)
  }
}
