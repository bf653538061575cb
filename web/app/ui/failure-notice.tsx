import { failureText } from '../lib/calls/failure.ts'
import { Notice } from './notice.tsx'

type FailureNoticeProps = { error: unknown; also?: string | undefined; className?: string }

/** Says why a call failed; nothing while there is no error. `also`: what the failure means here. */
export function FailureNotice({ error, also = '', className }: FailureNoticeProps) {
  const text = failureText(error)
  return <Problem text={text === null ? null : `${text} ${also}`.trim()} className={className} />
}

/** Says at once what is wrong; nothing without a text. */
export function Problem({ text, className }: { text: string | null; className?: string | undefined }) {
  if (text === null) return null
  return (
    <Notice tone="danger" role="alert" className={className}>
      {text}
    </Notice>
  )
}
