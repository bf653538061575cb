import { Fragment } from 'react'
import { Link } from 'wouter'
import type { Machine } from '../../../lib/calls/answers.ts'
import { Notice } from '../../../ui/notice.tsx'

/** Says at which machines an identity was refused that an owner can allow. */
export function RefusedMachines({ machines }: { machines: readonly Machine[] }) {
  const refused = machines.filter(({ attempts }) => attempts > 0)
  if (refused.length === 0) return null
  return (
    <Notice tone="plain" className="mb-4">
      <p>
        Refused calls wait for your decision:{' '}
        {refused.map(({ id, name, attempts }, index) => (
          <Fragment key={id}>
            {index > 0 && ', '}
            <Link href={`/machines/${id}`} className="link font-mono">
              {name}
            </Link>{' '}
            ({attempts})
          </Fragment>
        ))}
      </p>
    </Notice>
  )
}
