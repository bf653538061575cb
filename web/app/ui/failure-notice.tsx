import { describeFailure } from '../lib/calls/failure.ts'
import { Notice } from './notice.tsx'

type FailureNoticeProps = { error: unknown; also?: string; className?: string }

/** Says why a call failed; nothing while there is no error. `also`: what the failure means here. */
export function FailureNotice({ error, also = '', className }: FailureNoticeProps) {
  if (error === null) return null
  return (
    <Notice tone="danger" role="alert" {...(className === undefined ? {} : { className })}>
      {describeFailure(error).message}
      {also !== '' && ` ${also}`}
    </Notice>
  )
}
