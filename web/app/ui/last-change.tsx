import { serverNowMs } from '../lib/calls/server-clock.ts'
import { ago } from '../lib/words/time.ts'

type LastChangeProps = { at: string; by: string | null }

/** When something was changed last, and by whom. */
export function LastChange({ at, by }: LastChangeProps) {
  return (
    <>
      <time dateTime={at}>{ago(at, serverNowMs())}</time>
      {by !== null && ` by ${by}`}
    </>
  )
}
