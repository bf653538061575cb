import { GET } from '../endpoint.ts'
import * as delivery from '../schemas/delivery.ts'
import { ReceiptKeys } from '../schemas/receipt.ts'

/** Values that left the server. */
export const deliveryEndpoints = {
  listDeliveries: GET('/api/v1/deliveries', 'owner', {
    summary: 'Deliveries of the workspace, newest first',
    query: delivery.ListDeliveriesQuery,
    answer: delivery.DeliveryList,
  }),
  getDelivery: GET('/api/v1/deliveries/{delivery_id}', 'owner', {
    summary: 'A delivery: who approved it for whom, and the version of each value',
    answer: delivery.DeliveryNow,
  }),
  listUse: GET('/api/v1/use', 'member', {
    summary: 'Fetches per day of each bundle or machine, by name',
    query: delivery.UseQuery,
    answer: delivery.UseList,
  }),
  listReceiptKeys: GET('/api/v1/receipt-keys', 'public', {
    summary: 'The keys that sign receipts',
    answer: ReceiptKeys,
  }),
}
