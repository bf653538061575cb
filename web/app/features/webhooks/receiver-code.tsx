import { useState } from 'react'
import { LANGUAGES, type Language, RECEIVERS } from '../../lib/webhooks/receivers.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { SelectField } from '../../ui/select.tsx'

/** A receiver that checks signatures, in three languages. */
export function ReceiverCode() {
  const [language, setLanguage] = useState<Language>('node')
  const { path, text } = RECEIVERS[language]
  return (
    <>
      <div className="max-w-48">
        <SelectField label="Language" value={language} options={LANGUAGES} onChange={setLanguage} />
      </div>
      <CodeBlock text={text} what={path} />
    </>
  )
}
