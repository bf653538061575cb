import type { ComponentProps, KeyboardEvent, ReactNode } from 'react'
import { isComposing } from '../../lib/page/composing.ts'
import { useClosing } from '../../lib/page/unsaved.ts'
import { valueProblem } from '../../lib/rules/value-warnings.ts'
import { ActButton } from '../act-button.tsx'
import { Button } from '../button.tsx'
import { Form } from '../form.tsx'
import { ValueField } from '../value-field.tsx'

type CellFormProps = ComponentProps<typeof ValueField> & {
  /** What the button says. */
  action: string
  isProduction: boolean
  /** Whether there is something to save, and the page knows where it goes. */
  isReady: boolean
  busy: boolean
  onSave: () => void
  onClose: () => void
  /** What else can be done. */
  besides?: ReactNode
  children: ReactNode
}

/** The value of a cell as a field, in its place, with what to know about it below. Enter saves, or moves to the button
 * if that writes production; Escape closes. */
export function CellForm(props: CellFormProps) {
  const { action, isProduction, isReady, busy, onSave, onClose, besides, children, ...field } = props
  const closing = useClosing()
  const close = () => closing(onClose)
  const problem = valueProblem(field.value) ?? field.problem ?? null
  const mayNotSave = !isReady || problem !== null
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) return
    if (event.key === 'Escape') close()
    if (event.key !== 'Enter' || event.shiftKey || /[\r\n]/.test(field.value)) return
    event.preventDefault()
    if (isProduction) event.currentTarget.form?.querySelector<HTMLElement>('[type=submit]')?.focus()
    else event.currentTarget.form?.requestSubmit()
  }
  return (
    <Form busy={busy} onSubmit={() => mayNotSave || onSave()} className="space-y-2 pb-3">
      <ValueField autoFocus inCell {...field} {...{ problem, onKeyDown }} />
      <div className="space-y-2 sm:px-4">
        {children}
        <div className="flex flex-wrap items-center gap-2">
          <ActButton size="small" label={action} {...{ busy, isProduction }} disabled={mayNotSave} />
          {besides}
          <Button label="Cancel" size="small" look="quiet" className="px-1.5!" onClick={close} />
        </div>
      </div>
    </Form>
  )
}
