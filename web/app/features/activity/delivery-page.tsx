import { Link } from 'wouter'
import { useMe } from '../../lib/data/me.ts'
import { DeliveryDetails } from '../../ui/activity/delivery-details.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { OwnersOnly } from './owners-only.tsx'

/** One delivery: who approved what for whom. */
export function DeliveryPage({ id }: { id: string }) {
  const me = useMe().data
  if (me !== undefined && me.role !== 'owner') return <OwnersOnly />
  return (
    <div className="max-w-3xl">
      <PageHeading title="Delivery" />
      <DeliveryDetails id={id} />
      <Link href="/activity" className="link text-sm">
        All activity
      </Link>
    </div>
  )
}
