import { useId } from 'react'
import { classNames } from './class-names.ts'
import { Eye, Lock } from './icons.ts'

type SecretChoiceProps = {
  isSecret: boolean
  onChange: (isSecret: boolean) => void
  /** Without the sentences. */
  isSmall?: boolean
}

const CHOICES = [
  { isSecret: true, name: 'Secret', hint: 'Hidden here, delivered on approval', Icon: Lock },
  { isSecret: false, name: 'Readable', hint: 'Members see it on these pages', Icon: Eye },
]

/** Whether a value is secret. A person decides, and nothing else: not the name, not the value. */
export function SecretChoice({ isSecret, onChange, isSmall = false }: SecretChoiceProps) {
  const group = useId()
  return (
    <fieldset className="grid grid-cols-2 gap-2">
      <legend className="sr-only">Who can read it</legend>
      {CHOICES.map(({ Icon, ...choice }) => (
        <label
          key={choice.name}
          className={classNames(
            'flex items-start gap-2.5 rounded-md border has-focus-visible:outline-2 has-focus-visible:outline-accent',
            isSmall ? 'px-2 py-1 text-xs' : 'p-2.5 text-sm',
            choice.isSecret === isSecret
              ? 'border-accent bg-accent-soft shadow-[inset_0_0_0_1px_var(--color-accent)]'
              : 'border-edge',
          )}
        >
          <input
            type="radio"
            name={group}
            className="sr-only"
            checked={choice.isSecret === isSecret}
            onChange={() => onChange(choice.isSecret)}
          />
          <Icon aria-hidden size={isSmall ? 14 : 16} className="mt-0.5 shrink-0" />
          <span>
            <span className="font-medium">{choice.name}</span>
            {!isSmall && <span className="block text-xs text-ink-soft">{choice.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
