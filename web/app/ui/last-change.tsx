import { ago } from '../lib/words/time.ts'

/** When something was changed last, and by whom. */
export function LastChange({ at, by }: { at: string; by: string | null }) {
  return (
    <>
      <time dateTime={at}>{ago(at)}</time>
      {by !== null && ` by ${by}`}
    </>
  )
}
