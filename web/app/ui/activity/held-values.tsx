import { Fragment } from 'react'
import { Link } from 'wouter'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { stillCurrent } from '../../lib/rules/still-current.ts'

/** Which current values a person was given. */
export function HeldValues({ userId }: { userId: string }) {
  const holdings = useAnswer('listHoldings', { user_id: userId, limit: 1_000 }).data
  if (holdings === undefined) return null
  const keys = stillCurrent(holdings)
  if (keys.length === 0) return <p className="mb-2 text-sm">They hold no current value.</p>
  return (
    <p className="mb-2 text-sm">
      They were given {keys.length} {keys.length === 1 ? 'value that is' : 'values that are'} still current:{' '}
      {keys.map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Link href={`/keys/${id}`} className="link font-mono">
            {name}
          </Link>
        </Fragment>
      ))}
    </p>
  )
}
