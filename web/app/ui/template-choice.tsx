import { templateIn } from '../lib/rules/templates.ts'
import { HintedCheckbox } from './hinted-checkbox.tsx'

type TemplateChoiceProps = {
  checked: boolean
  /** The value as typed. */
  text: string
  onChange: (checked: boolean) => void
}

/** Whether a key's text is a template, of which each bundle composes a value. */
export function TemplateChoice({ checked, text, onChange }: TemplateChoiceProps) {
  return (
    <HintedCheckbox
      label="Composed of other values"
      hint={
        checked ? (
          <>
            <Code>{'${NAME}'}</Code> is what the bundle delivers as NAME, <Code>{'${NAME|uri}'}</Code> the
            same for use in a URL, and <Code>{'$${'}</Code> the text <Code>{'${'}</Code>.
          </>
        ) : (
          hintFor(text)
        )
      }
      checked={checked}
      onChange={onChange}
    />
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
