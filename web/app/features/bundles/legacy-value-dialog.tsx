import { type FormEvent, useState } from 'react'
import { valueProblem } from '../../lib/value-warnings.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ValueField } from '../../ui/value-field.tsx'

type LegacyValueDialogProps = { name: string; onValue: (value: string) => void; onClose: () => void }

/** Asks for the value of a secret inline item: the browser is never given it, so it cannot carry it over. */
export function LegacyValueDialog({ name, onValue, onClose }: LegacyValueDialogProps) {
  const [value, setValue] = useState('')
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = valueProblem(value)
    if (found === null) onValue(value)
    else setProblem(found)
  }
  return (
    <Dialog title={`Convert ${name}`} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <p className="text-ink-soft">
          This value is secret, so this page does not have it. Enter it once more to store it as a library
          key.
        </p>
        <ValueField value={value} isSecret onChange={setValue} problem={problem} autoFocus />
        <div className="flex justify-end gap-3">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Convert
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
