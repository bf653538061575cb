import { isProduction } from '@keyferry/contract/production'
import { useState } from 'react'
import { call } from '../../../lib/calls/call.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useSteps } from '../../../lib/calls/use-call.ts'
import { useUnsaved } from '../../../lib/page/unsaved.ts'
import { Button } from '../../../ui/button.tsx'
import { CellForm } from '../../../ui/cell-form/cell-form.tsx'
import { Equal } from '../../../ui/icons.ts'
import { FailureNotice } from '../../../ui/notice.tsx'
import { notify } from '../../../ui/toast-store.ts'
import { type CellChanges, sourceOf } from '../use-cell-changes.tsx'
import type { CellParts } from './cell-view.tsx'

type MissingEditorProps = CellParts & { changes: CellChanges; onClose: () => void }

/** A value for a variable that an environment lacks: its own, or the key of another environment. */
export function MissingEditor({ row, bundle, environments, changes, onClose }: MissingEditorProps) {
  const [value, setValue] = useState('')
  const [isSecret, setSecret] = useState(true)
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
  const source = sourceOf(row, environments)
  const save = async () => {
    const made = await add.mutateAsync(undefined).catch(() => null)
    if (made === null) return
    saved()
    onClose()
    notify({ text: `Added ${name} to ${bundle.name}.` })
  }
  return (
    <CellForm
      label={`Value of ${name} in ${bundle.name}`}
      placeholder="Value"
      onChange={setValue}
      onMark={setSecret}
      action={isProduction(bundle) ? `Save in ${bundle.label}` : 'Save'}
      isProduction={isProduction(bundle)}
      isReady={value !== ''}
      busy={add.isPending}
      onSave={() => void save()}
      besides={
        source !== null && (
          <Button
            size="small"
            icon={Equal}
            label={`Same as ${source.from.label}`}
            busy={add.isPending}
            onClick={() => {
              onClose()
              changes.share(bundle, row, environments)
            }}
          />
        )
      }
      {...{ value, isSecret, onClose }}
    >
      <FailureNotice error={add.error} act={`add ${name}`} />
    </CellForm>
  )
}
