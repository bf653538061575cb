import { isProduction } from '@keyferry/contract/production'
import { type KeyboardEvent, useState } from 'react'
import { call } from '../../../lib/calls/call.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useSteps } from '../../../lib/calls/use-call.ts'
import { isComposing } from '../../../lib/page/composing.ts'
import { useClosing, useUnsaved } from '../../../lib/page/unsaved.ts'
import { valueProblem } from '../../../lib/rules/value-warnings.ts'
import { SecretChoice } from '../../../ui/add-variable/secret-choice.tsx'
import { Button } from '../../../ui/button.tsx'
import { Form } from '../../../ui/form.tsx'
import { Equal } from '../../../ui/icons.ts'
import { FailureNotice } from '../../../ui/notice.tsx'
import { notify } from '../../../ui/toast-store.ts'
import { type CellChanges, sourceOf } from '../use-cell-changes.tsx'
import { ArmedButton } from './armed-button.tsx'
import { CellField } from './cell-field.tsx'
import type { CellParts } from './cell-view.tsx'

type MissingEditorProps = CellParts & { changes: CellChanges; onClose: () => void }

/** A value for a variable that an environment lacks: its own, or the key of another environment. */
export function MissingEditor({ row, bundle, environments, changes, onClose }: MissingEditorProps) {
  const [value, setValue] = useState('')
  const [isSecret, setSecret] = useState(true)
  const [isAsked, setAsked] = useState(false)
  const { name } = row
  const add = useSteps(
    () =>
      call('importVariables', {
        bundle: bundle.name,
        entries: [{ name, value, is_secret: isSecret }],
        own: [name],
      }),
    { refreshes: LIBRARY },
  )
  const saved = useUnsaved(value !== '')
  const closing = useClosing()
  const source = sourceOf(row, environments)
  const problem = valueProblem(value)
  const isReady = value !== '' && problem === null
  const save = async () => {
    const made = await add.mutateAsync(undefined).catch(() => null)
    setAsked(false)
    if (made === null) return
    saved()
    onClose()
    notify({ text: `Added ${name} to ${bundle.name}.` })
  }
  const submit = () => {
    if (!isReady) return
    if (isProduction(bundle)) setAsked(true)
    else void save()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (event.key === 'Escape') closing(onClose)
    if (event.key !== 'Enter' || event.shiftKey || /[\r\n]/.test(value)) return
    event.preventDefault()
    submit()
  }
  const button = { size: 'small', busy: add.isPending } as const
  return (
    <Form busy={add.isPending} onSubmit={submit} className="space-y-2 pb-3">
      <CellField
        label={`Value of ${name} in ${bundle.name}`}
        value={value}
        isSecret={isSecret}
        onChange={(text) => {
          setAsked(false)
          setValue(text)
        }}
        onKeyDown={onKeyDown}
        problem={problem}
        placeholder="Value"
      />
      <div className="space-y-2 sm:px-4">
        <SecretChoice isSecret={isSecret} onChange={setSecret} isSmall />
        <FailureNotice error={add.error} />
        <div className="flex flex-wrap gap-2">
          {isAsked ? (
            <ArmedButton {...button} label={`Save in ${bundle.label}`} onPress={() => void save()} />
          ) : (
            <Button {...button} label="Save" type="submit" look="primary" disabled={!isReady} />
          )}
          {source !== null && !isAsked && (
            <Button
              {...button}
              icon={Equal}
              label={`Same as ${source.from.label}`}
              onClick={() => {
                onClose()
                changes.share(bundle, row, environments)
              }}
            />
          )}
          <Button label="Cancel" size="small" look="quiet" onClick={() => closing(onClose)} />
        </div>
      </div>
    </Form>
  )
}
