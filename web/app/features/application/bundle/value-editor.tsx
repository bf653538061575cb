import { type FormEvent, type KeyboardEvent, useState } from 'react'
import type { BundleItem, KeyWithBundles } from '../../../lib/calls/answers.ts'
import { isOvertaken } from '../../../lib/calls/failure.ts'
import { useAnswer } from '../../../lib/calls/use-call.ts'
import { useSaveKey } from '../../../lib/data/keys.ts'
import { useMay } from '../../../lib/data/me.ts'
import { isComposing } from '../../../lib/page/composing.ts'
import { useClosing, useUnsaved } from '../../../lib/page/unsaved.ts'
import { useKeyDraft } from '../../../lib/page/use-key-draft.ts'
import { valueProblem } from '../../../lib/rules/value-warnings.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { ConflictNotice } from '../../../ui/conflict-notice.tsx'
import { Eye, EyeOff } from '../../../ui/icons.ts'
import { FailureNotice, Notice } from '../../../ui/notice.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import { notify } from '../../../ui/toast-store.ts'
import { ValueWarnings } from '../../../ui/value-warnings.tsx'

type ValueEditorProps = {
  bundle: { id: string; name: string }
  item: BundleItem
  onClose: () => void
}

/** The value of a row as a field, in its place. A shared key asks where the value changes by the button that saves. */
export function ValueEditor(props: ValueEditorProps) {
  const key = useAnswer('getKey', { key_id: props.item.id ?? '' }).data
  if (key === undefined) return null
  return key.may_change ? (
    <ValueForm {...props} held={key} />
  ) : (
    <Notice tone="plain">You may not change this value. The rules of the bundle say who may.</Notice>
  )
}

type RowValueProps = ValueEditorProps & { held: KeyWithBundles }

function ValueForm(props: RowValueProps) {
  const {
    value,
    setValue,
    isHidden,
    setHidden,
    splits,
    save,
    saving,
    problem,
    isReady,
    notice,
    onKeyDown,
    submit,
    close,
  } = useValue(props)
  const { bundle, item, held } = props
  const [isShown, setShown] = useState(false)
  const button = { size: 'small', disabled: !isReady, busy: saving.isPending } as const
  return (
    <form onSubmit={submit} noValidate className="w-full space-y-2 py-1">
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <TextArea
            label={`Value of ${item.name} in ${bundle.name}`}
            hidesLabel
            autoFocus
            value={value}
            rows={value.includes('\n') ? 5 : 1}
            onChange={setValue}
            onKeyDown={onKeyDown}
            problem={problem}
            placeholder={item.is_secret ? 'New value' : ''}
            autoCorrect="off"
            code="small"
            className={classNames('resize-none', item.is_secret && !isShown && 'concealed')}
          />
        </div>
        {item.is_secret && (
          <IconButton
            label={isShown ? 'Hide' : 'Show'}
            icon={isShown ? EyeOff : Eye}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        )}
      </div>
      <ValueWarnings value={value} />
      {splits && !item.is_secret && (
        <Checkbox
          className="inline-flex items-center gap-2 text-sm"
          checked={isHidden}
          onChange={setHidden}
          label={`Secret, if saved in ${bundle.name} only`}
        />
      )}
      <ConflictNotice {...notice} />
      <FailureNotice error={isOvertaken(saving.error) ? null : saving.error} />
      <div className="flex flex-wrap gap-2">
        {splits && <Button label="Save here only" type="submit" look="primary" {...button} />}
        <Button
          {...button}
          label={held.bundles.length > 1 ? `Save in all ${held.bundles.length} bundles` : 'Save'}
          type={splits ? 'button' : 'submit'}
          look={splits ? 'neutral' : 'primary'}
          onClick={() => splits && void save(null)}
        />
        <Button label="Cancel" size="small" look="quiet" onClick={close} />
      </div>
    </form>
  )
}

function useValue({ bundle, item, held, onClose }: RowValueProps) {
  const saving = useSaveKey(held.id)
  const { draft, change, setValue: setPart, notice } = useKeyDraft(held, { isSaving: saving.isPending })
  const value = draft.value.text ?? ''
  const setValue = (text: string) => setPart({ text: text === '' && held.is_secret ? null : text })
  const [isHidden, setHidden] = useState(true)
  const splits = useMay()('splitKey') && held.bundles.length > 1
  const isTouched = change.value !== undefined
  const saved = useUnsaved(isTouched)
  const closing = useClosing()
  const close = () => closing(onClose)
  const problem = valueProblem(value)
  const isReady = isTouched && problem === null
  // A bundle that gets its own key gets another row, which takes along the callbacks of a plain `mutate`.
  const save = async (bundleId: string | null) => {
    if (!isReady || saving.isPending) return
    const mark = bundleId !== null && !item.is_secret ? { is_secret: isHidden } : {}
    const isSaved = await saving.mutateAsync({ change: { ...change, ...mark }, bundleId }).then(
      () => true,
      () => false,
    )
    if (!isSaved) return
    saved()
    onClose()
    notify({ text: `Saved ${item.name} in ${bundleId === null ? placesOf(held) : bundle.name}.` })
  }
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    void save(splits ? bundle.id : null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (event.key === 'Escape') close()
    if (event.key !== 'Enter' || event.shiftKey || /[\r\n]/.test(value)) return
    event.preventDefault()
    submit()
  }
  return {
    value,
    setValue,
    isHidden,
    setHidden,
    splits,
    save,
    saving,
    problem,
    isReady,
    notice,
    onKeyDown,
    submit,
    close,
  }
}

function placesOf({ bundles }: KeyWithBundles): string {
  return bundles.length > 1 ? `${bundles.length} bundles` : (bundles[0]?.name ?? 'the library')
}
