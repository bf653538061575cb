import { useLocation } from 'wouter'
import { describeFailure } from '../../lib/failure.ts'
import { useMe } from '../../lib/me.ts'
import { useAcceptInvitation } from '../../lib/people.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Where an invitation's link leads: joining takes one press, so that opening a link alone changes nothing. */
export function InvitePage({ token }: { token: string }) {
  const me = useMe()
  const accept = useAcceptInvitation()
  const [, navigate] = useLocation()
  const join = () =>
    accept.mutate(token, {
      onSuccess: ({ name, role }) => {
        navigate('/bundles', { replace: true })
        notify({ text: `You joined ${name} as ${role}.` })
      },
    })
  const failure = accept.error === null ? null : describeFailure(accept.error)
  return (
    <div className="max-w-xl pt-4">
      <PageHeading title="You are invited to a workspace" />
      <p className="text-ink-soft">
        An invitation works once, for seven days, and only for the e-mail address that it was made for.
        {me.data !== undefined && (
          <>
            {' '}
            You are signed in as <strong className="font-medium text-ink">{me.data.email}</strong>.
          </>
        )}
      </p>
      {failure !== null && (
        <Notice tone="danger" role="alert" className="mt-4">
          {failure.status === 404
            ? 'This invitation was used or revoked, has expired, or is for another e-mail address. Ask for a new one.'
            : failure.message}
        </Notice>
      )}
      <Button look="primary" size="large" busy={accept.isPending} onClick={join} className="mt-6">
        Join the workspace
      </Button>
    </div>
  )
}
