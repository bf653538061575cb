import { useMe } from '../../lib/data/me.ts'
import { ROLE_NAMES } from '../../lib/data/people.ts'
import { useSession } from '../../lib/data/session.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { ChangeEmail, ChangePassword } from './change-account.tsx'
import { OwnGrants } from './own-grants.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'
import { Shortcuts } from './shortcuts.tsx'

/** Who the person is here, where else they are signed in, and the keys that make the app faster. */
export function AccountPage() {
  const me = useMe()
  const authMode = useSession().data?.auth_mode
  return (
    <div className="max-w-2xl">
      <PageHeading title="Account" />
      {me.data === undefined ? (
        <LoadingState query={me} what="your account" />
      ) : (
        <dl className="grid grid-cols-[7rem_1fr] gap-y-2 rounded-lg border border-line bg-surface p-4 sm:p-5">
          <dt className="text-ink-soft">Name</dt>
          <dd className="font-medium">{me.data.username}</dd>
          <dt className="text-ink-soft">E-mail</dt>
          <dd className="break-all">
            {me.data.email} {!me.data.email_verified && authMode !== 'local' && '(not verified)'}
          </dd>
          <dt className="text-ink-soft">Workspace</dt>
          <dd>{me.data.tenant.name}</dd>
          <dt className="text-ink-soft">Role</dt>
          <dd>{ROLE_NAMES[me.data.role]}</dd>
        </dl>
      )}
      {authMode === 'local' ? (
        <Notice tone="plain" className="mt-4">
          This server runs for one person on this machine. There is nothing to sign out of.
        </Notice>
      ) : (
        <Sessions />
      )}
      {authMode === 'accounts' && (
        <>
          <Passkeys />
          <ChangePassword />
          <ChangeEmail />
        </>
      )}
      <OwnGrants />
      <Shortcuts />
    </div>
  )
}
