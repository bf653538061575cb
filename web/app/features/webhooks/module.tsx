import { useMay } from '../../lib/data/me.ts'
import { deferred } from '../../ui/deferred.tsx'

const WebhookList = deferred('WebhookList', () => import('./webhook-list.tsx'))
const WebhookPage = deferred('WebhookPage', () => import('./webhook-page.tsx'))

type IdParams = { id?: string | undefined }

export const pages = [
  { path: '/settings/webhooks/:id', page: ({ id = '' }: IdParams) => <WebhookPage key={id} id={id} /> },
]

/** The webhooks, for owners. */
export function WorkspaceSection() {
  return useMay()('listWebhooks') && <WebhookList />
}
