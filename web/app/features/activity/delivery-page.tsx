import { Link } from 'wouter'
import { DeliveryDetails } from '../../ui/activity/delivery-details.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { OwnersOnly } from '../../ui/page-note.tsx'

/** One delivery: who approved what for whom. */
export function DeliveryPage({ id }: { id: string }) {
  return (
    <OwnersOnly operation="getDelivery" title="Activity" what="what happened">
      <div className="max-w-read">
        <PageHeading title="Delivery" />
        <DeliveryDetails id={id} />
        <Link href="/activity" className="link text-sm">
          All activity
        </Link>
      </div>
    </OwnersOnly>
  )
}
