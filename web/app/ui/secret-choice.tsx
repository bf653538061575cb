import { Select } from './select.tsx'

const NAMES = { secret: 'Secret', readable: 'Readable' } as const
const HINTS = {
  secret: 'hidden here, delivered on approval.',
  readable: 'members see it on these pages.',
} as const

type SecretChoiceProps = {
  isSecret: boolean
  onChange: (isSecret: boolean) => void
  /** In a list: the name whose value it is, without what the choice means. */
  of?: string
  disabled?: boolean
}

/** Whether a value is secret. A person decides, and nothing else: not the name, not the value. */
export function SecretChoice({ isSecret, onChange, of, disabled }: SecretChoiceProps) {
  const value = isSecret ? 'secret' : 'readable'
  return (
    <p className="text-xs text-ink-soft">
      <Select
        aria-label={`Who can read ${of ?? 'it'}`}
        className="choice"
        value={value}
        options={NAMES}
        disabled={disabled}
        onChange={(chosen) => onChange(chosen === 'secret')}
      />
      {of === undefined && `: ${HINTS[value]}`}
    </p>
  )
}
