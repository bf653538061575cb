import { counted, listed } from '../lib/words/counted.ts'
import { HintedCheckbox } from './hinted-checkbox.tsx'

type OpenCopiesProps = {
  /** Names whose copied keys are not secret. */
  names: readonly string[]
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Asks whether copies of keys that are not secret are not secret either. Nothing without such keys. */
export function OpenCopies({ names, checked, onChange }: OpenCopiesProps) {
  if (names.length === 0) return null
  return (
    <HintedCheckbox
      label={`Mark ${counted(names.length, 'copy', 'copies')} as not secret`}
      hint={
        checked
          ? `Every member of the workspace can read ${listed(names, 5)}.`
          : `Copies are secret. The originals of ${listed(names, 5)} are not.`
      }
      checked={checked}
      onChange={onChange}
    />
  )
}
