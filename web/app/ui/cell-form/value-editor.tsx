import { isProduction } from '@keyferry/contract/production'
import type { Bundle, KeyWithBundles, SavedKey } from '../../lib/calls/answers.ts'
import { isOvertaken } from '../../lib/calls/failure.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useSaveKey } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useKeyDraft } from '../../lib/page/use-key-draft.ts'
import { randomValue } from '../../lib/rules/random-value.ts'
import { templateIn } from '../../lib/rules/templates.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { listed } from '../../lib/words/counted.ts'
import { olderHoldersText } from '../../lib/words/holder-text.ts'
import { Button } from '../button.tsx'
import { ConflictNotice } from '../conflict-notice.tsx'
import { CopyButton } from '../copy-button.tsx'
import { Link2, RefreshCw } from '../icons.ts'
import { FailureNotice } from '../notice.tsx'
import { TemplateChoice } from '../template-choice.tsx'
import { TemplateParts } from '../template-parts.tsx'
import { notify } from '../toast-store.ts'
import { CellForm, type SavingWay } from './cell-form.tsx'
import { useUndo } from './use-undo.ts'

type ValueEditorProps = {
  item: KeyWithBundles
  /** The bundle in which the value is changed, and what the page calls it; none for a key that no bundle uses. */
  bundle: { id: string; name: string; label: string } | undefined
  /** Whether to offer what few values need: to be generated or composed. */
  offersRare?: boolean
  /** `saved`: null if the person leaves without saving. */
  onDone: (saved: SavedKey | null) => void
}

/** The value of a key as a field, in its place: whom the change touches and the ways to save are under it. */
export function ValueEditor(props: ValueEditorProps) {
  // Without them nobody knows what is production.
  const bundles = useAnswer('listBundles', {}).data
  return bundles && <ValueForm {...props} bundles={bundles} />
}

type ValueFormProps = ValueEditorProps & { bundles: readonly Bundle[] }

function ValueForm({ item, bundle, bundles, offersRare = false, onDone }: ValueFormProps) {
  const saving = useSaveKey(item.id)
  const { draft, change, setValue, notice } = useKeyDraft(item, { isSaving: saving.isPending })
  const { text, is_template } = draft.value
  const ways = waysOf(item, bundle, { canSplit: useMay()('splitKey') && change.value !== undefined, bundles })
  const undoOf = useUndo(item, bundle?.id)
  const isTouched = change.value !== undefined || change.is_template !== undefined
  const saved = useUnsaved(isTouched)
  const name = variableOf(item, bundle?.id)
  const others = item.bundles.filter(({ id }) => id !== bundle?.id).map((other) => other.name)
  // A bundle that gets its own key gets another cell, which takes along the callbacks of a plain `mutate`.
  const save = async ({ only }: Way) => {
    // What replaces a composed text can have its secret parts, so the server makes it secret.
    const mark = only === null || change.is_template === false ? {} : { is_secret: item.is_secret }
    const key = await saving.mutateAsync({ change: { ...change, ...mark }, bundleId: only }).catch(() => null)
    if (key === null) return
    saved()
    onDone(key)
    const where = only === null && others.length > 0 ? `${item.bundles.length} bundles` : bundle?.name
    const place = where === undefined ? '' : ` in ${where}`
    notify({ text: `Saved ${name}${place}, v${key.version}.${olderHoldersText(key)}`, ...undoOf(key) })
  }
  return (
    <CellForm
      label={`Value of ${name}${bundle === undefined ? '' : ` in ${bundle.name}`}`}
      value={text ?? ''}
      isSecret={item.is_secret}
      onChange={(typed) => setValue({ text: typed === '' && item.is_secret ? null : typed })}
      placeholder={item.is_secret ? 'New value' : ''}
      problem={is_template && text !== null ? templateIn(text).problem : null}
      busy={saving.isPending}
      onSave={save}
      onClose={() => onDone(null)}
      {...{ ways, isTouched }}
    >
      {others.length > 0 && (
        <p className="flex items-start gap-2 text-ink-soft">
          <Link2 aria-hidden size={14} className="mt-0.5 shrink-0" />
          <span>
            {listed(others, 3)} {others.length === 1 ? 'uses' : 'use'} this value too
          </span>
        </p>
      )}
      {offersRare && !is_template && (
        <p className="flex items-center gap-2">
          <Button
            label="Generate"
            size="small"
            icon={RefreshCw}
            onClick={() => setValue({ text: randomValue() })}
          />
          {change.value !== undefined && <CopyButton text={change.value} what="the new value" />}
          <span className="text-ink-soft">32 random bytes, if you choose the value.</span>
        </p>
      )}
      {offersRare && (item.may_show || change.value !== undefined) && (
        <TemplateChoice
          text={text ?? ''}
          checked={is_template}
          onChange={(chosen) => setValue({ is_template: chosen })}
        />
      )}
      {is_template && (
        <TemplateParts
          parts={text === null ? item.template_parts : templateIn(text).parts}
          bundles={item.bundles}
        />
      )}
      <ConflictNotice {...notice} />
      <FailureNotice error={isOvertaken(saving.error) ? null : saving.error} />
    </CellForm>
  )
}

/** `only`: the one bundle that changes; null: every bundle that uses the key. */
type Way = SavingWay & { only: string | null }

function waysOf(
  item: KeyWithBundles,
  bundle: ValueEditorProps['bundle'],
  { canSplit, bundles }: { canSplit: boolean; bundles: readonly Bundle[] },
): Way[] {
  const uses = item.bundles.length
  const touched = bundles.filter(({ id }) => item.bundles.some((used) => used.id === id))
  const reachesProduction = touched.some(isProduction)
  if (bundle === undefined) return [{ label: 'Save', armed: 'Save', only: null, isProduction: false }]
  const here = bundle.label
  const isHereProduction = touched.some((used) => used.id === bundle.id && isProduction(used))
  const everywhere = uses === 2 ? 'both' : `all ${uses}`
  const whole: Way = {
    label: uses > 1 ? `Save in ${everywhere}` : isHereProduction ? `Save in ${here}…` : 'Save',
    armed: uses > 1 ? `Save in ${everywhere}, production too` : `Save in ${here}`,
    only: null,
    isProduction: reachesProduction,
  }
  const alone: Way = {
    label: `Only in ${here}`,
    armed: `Save in ${here}`,
    only: bundle.id,
    isProduction: isHereProduction,
  }
  return canSplit && uses > 1 ? [whole, alone] : [whole]
}
