import { Link } from 'wouter'
import { useIsOwner } from '../../lib/data/me.ts'
import { useWebhooks } from '../../lib/data/webhooks.ts'
import { buttonClasses } from '../../ui/button.tsx'

/** The way to the webhooks, for owners. */
export function WorkspaceWebhooks() {
  const isOwner = useIsOwner()
  const webhooks = useWebhooks(isOwner).data ?? []
  if (!isOwner) return null
  const failing = webhooks.filter(({ failing_since, ended_reason }) => failing_since ?? ended_reason).length
  return (
    <section aria-labelledby="webhooks" className="mb-8">
      <h2 id="webhooks" className="mb-1 text-lg font-semibold">
        Webhooks <span className="font-normal text-ink-soft">{webhooks.length}</span>
      </h2>
      <p className="mb-3 max-w-xl text-ink-soft">
        Keyferry calls your servers when something changes.
        {failing > 0 && ` ${failing} ${failing === 1 ? 'webhook does' : 'webhooks do'} not work.`}
      </p>
      <Link href="/settings/webhooks" className={buttonClasses()}>
        Open webhooks
      </Link>
    </section>
  )
}
