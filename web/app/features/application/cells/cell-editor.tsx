import { useAnswer } from '../../../lib/calls/use-call.ts'
import { ValueEditor } from '../../../ui/cell-form/value-editor.tsx'
import { Notice } from '../../../ui/notice.tsx'
import type { EnvironmentColumn } from '../environment/environments.ts'

type CellEditorProps = { keyId: string; bundle: EnvironmentColumn; onClose: () => void }

/** The value of a cell as a field, in its place. */
export function CellEditor({ keyId, bundle, onClose }: CellEditorProps) {
  const item = useAnswer('getKey', { key_id: keyId }, { staleTime: 0 }).data
  if (item === undefined) return null
  return item.may_change ? (
    <ValueEditor {...{ item, bundle }} onDone={onClose} />
  ) : (
    <Notice tone="plain">You may not change this value. The rules of the bundle say who may.</Notice>
  )
}
