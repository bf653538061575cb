import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { useArming } from '../../lib/page/arming.ts'
import { isComposing } from '../../lib/page/composing.ts'
import { useClosing } from '../../lib/page/unsaved.ts'
import { valueProblem } from '../../lib/rules/value-warnings.ts'
import { ArmingButton } from '../arming-button.tsx'
import { Button } from '../button.tsx'
import { Form } from '../form.tsx'
import { ValueField } from '../value-field.tsx'

/** A way to save. `armed`: what the red button says that confirms it where production changes. */
export type SavingWay = { label: string; armed: string; isProduction: boolean }

type CellFormProps<Way> = {
  label: string
  value: string
  onChange: (value: string) => void
  isSecret: boolean
  placeholder: string
  /** What else is wrong with the value. */
  problem?: string | null
  ways: readonly Way[]
  isTouched: boolean
  busy: boolean
  /** Resolves when the value is saved, or refused. */
  onSave: (way: Way) => Promise<void>
  onClose: () => void
  /** What else can be done. */
  besides?: ReactNode
  children: ReactNode
}

/** The value of a cell as a field, in its place: what to know about it and the ways to save are under it. Enter saves
 * the first way, Escape closes. */
export function CellForm<Way extends SavingWay>(props: CellFormProps<Way>) {
  const { label, value, isSecret, placeholder, ways, isTouched, busy, onSave, besides, children } = props
  const [asked, setAsked] = useState<Way | null>(null)
  const closing = useClosing()
  const close = () => closing(props.onClose)
  const problem = valueProblem(value) ?? props.problem ?? null
  const isReady = isTouched && problem === null
  const save = (way: Way) => {
    if (isReady && !busy) void onSave(way).then(() => setAsked(null))
  }
  const ask = (way: Way | undefined) => {
    if (way === undefined || !isReady) return
    if (way.isProduction) setAsked(way)
    else save(way)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (event.key === 'Escape' && asked === null) close()
    else if (event.key === 'Escape') setAsked(null)
    if (event.key !== 'Enter' || event.shiftKey || /[\r\n]/.test(value)) return
    event.preventDefault()
    if (asked === null) ask(ways[0])
  }
  const onChange = (text: string) => {
    setAsked(null)
    props.onChange(text)
  }
  const button = { size: 'small', busy } as const
  return (
    <Form busy={busy} onSubmit={() => ask(ways[0])} className="space-y-2 pb-3">
      <ValueField
        autoFocus
        inCell
        {...{ label, value, isSecret, placeholder, problem, onChange, onKeyDown }}
      />
      <div className="space-y-2 sm:px-4">
        {children}
        <div className="flex flex-wrap gap-2">
          {asked !== null && <ArmedButton {...button} label={asked.armed} onPress={() => save(asked)} />}
          {asked === null &&
            ways.map((way, at) => (
              <Button
                key={way.label}
                {...button}
                label={way.label}
                disabled={!isReady}
                type={at === 0 ? 'submit' : 'button'}
                look={at === 0 ? 'primary' : 'neutral'}
                onClick={at === 0 ? undefined : () => ask(way)}
              />
            ))}
          {asked === null && besides}
          <Button label="Cancel" size="small" look="quiet" className="px-1.5!" onClick={close} />
        </div>
      </div>
    </Form>
  )
}

type ArmedButtonProps = { label: string; size: 'small'; busy: boolean; onPress: () => void }

/** A red button for production, which counts a press only after a person could read it, as on the approval page. */
function ArmedButton({ onPress, ...button }: ArmedButtonProps) {
  const { buttons, counts, ...arming } = useArming(button.label)
  return (
    <div ref={buttons}>
      <ArmingButton
        {...button}
        {...arming}
        look="danger"
        autoFocus
        onClick={(press) => counts(press) && onPress()}
      />
    </div>
  )
}
