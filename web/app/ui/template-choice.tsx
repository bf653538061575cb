import { useId } from 'react'
import { templateIn } from '../lib/rules/templates.ts'

type TemplateChoiceProps = {
  checked: boolean
  /** The value as typed. */
  text: string
  onChange: (checked: boolean) => void
}

/** Whether a key's text is a template, of which each bundle composes a value. */
export function TemplateChoice({ checked, text, onChange }: TemplateChoiceProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <input
        id={id}
        type="checkbox"
        className="checkbox mt-0.5"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
        aria-describedby={`${id}-hint`}
      />
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium">
          Composed of other values
        </label>
        <p id={`${id}-hint`} className="text-xs text-ink-soft">
          {checked ? (
            <>
              <Code>{'${NAME}'}</Code> is what the bundle delivers as NAME, <Code>{'${NAME|uri}'}</Code> the
              same for use in a URL, and <Code>{'$${'}</Code> the text <Code>{'${'}</Code>.
            </>
          ) : (
            hintFor(text)
          )}
        </p>
      </div>
    </div>
  )
}

function hintFor(text: string): string {
  if (templateIn(text).parts.length > 0)
    return 'The value looks like a template. Unless you check this box, it is delivered exactly as written.'
  return 'Each bundle builds the value from others that it delivers, for example a URL from host and password.'
}

function Code({ children }: { children: string }) {
  return <code className="font-mono text-ink">{children}</code>
}
