import { useMay } from '../../lib/data/me.ts'
import { useWebhooks } from '../../lib/webhooks/answers.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { Section } from '../../ui/section.tsx'

const WebhooksPage = deferred('WebhooksPage', () => import('./webhooks-page.tsx'))
const WebhookPage = deferred('WebhookPage', () => import('./webhook-page.tsx'))

type IdParams = { id?: string | undefined }

export const pages = [
  { path: '/settings/webhooks', page: () => <WebhooksPage /> },
  { path: '/settings/webhooks/:id', page: ({ id = '' }: IdParams) => <WebhookPage key={id} id={id} /> },
]

/** The way to the webhooks, for owners. */
export function WorkspaceSection() {
  const isAllowed = useMay()('listWebhooks')
  const webhooks = useWebhooks(isAllowed).data ?? []
  if (!isAllowed) return null
  const failing = webhooks.filter(({ failing_since, ended_reason }) => failing_since ?? ended_reason).length
  return (
    <Section title="Webhooks" count={webhooks.length} size="large" className="mb-8" headingClass="mb-1">
      <p className="mb-3 max-w-read text-ink-soft">
        Keyferry calls your servers when something changes.
        {failing > 0 && ` ${failing} ${failing === 1 ? 'webhook does' : 'webhooks do'} not work.`}
      </p>
      <ButtonLink label="Open webhooks" href="/settings/webhooks" />
    </Section>
  )
}
