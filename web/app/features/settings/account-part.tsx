import type { Grant, Me, OwnSession } from '../../lib/calls/answers.ts'
import { call } from '../../lib/calls/call.ts'
import { useAnswer, useChange, useSteps } from '../../lib/calls/use-call.ts'
import { useGrants, useKnownGrants } from '../../lib/data/lists.ts'
import { ROLE_NAMES, signOut, useMe, useSession } from '../../lib/data/me.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { placeOf } from '../../lib/words/holder-text.ts'
import { ago } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmailText } from '../../ui/email-text.tsx'
import { Facts } from '../../ui/facts.tsx'
import { GrantList } from '../../ui/grants/grant-list.tsx'
import { X } from '../../ui/icons.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { failing, notify } from '../../ui/toast-store.ts'
import { PAGE_MODULES } from '../joined-modules.ts'
import { ApprovalKeys } from './approval-keys.tsx'

/** Who the person is here, where else they are signed in, and the keys that make the app faster. */
export function AccountPart() {
  const me = useMe()
  const authMode = useSession().data?.auth_mode
  return (
    <>
      {me.data === undefined ? (
        <LoadingState query={me} what="your account" />
      ) : (
        <Facts
          facts={factsOf(me.data)}
          className="grid-cols-[7rem_1fr] gap-y-2 rounded-lg border border-line bg-surface p-4 sm:p-5"
        />
      )}
      {authMode === 'local' ? (
        <Notice tone="plain" className="mt-4">
          This server has one user: the person on this machine.
        </Notice>
      ) : (
        <Sessions />
      )}
      {PAGE_MODULES.flatMap(({ SignInSection }) =>
        SignInSection ? <SignInSection key={SignInSection.name} /> : [],
      )}
      {authMode !== 'local' && me.data !== undefined && <ApprovalKeys me={me.data} />}
      <OwnGrants />
      {authMode !== 'local' && <KnownTerminals />}
      {PAGE_MODULES.flatMap(({ AccountSection }) =>
        AccountSection ? <AccountSection key={AccountSection.name} /> : [],
      )}
      <p className="mt-8 text-sm text-ink-soft">
        Press <kbd>?</kbd> on any page for the keyboard shortcuts.
      </p>
    </>
  )
}

function factsOf({ username, email, email_verified, auth_mode, tenant, role }: Me) {
  const isOpen = !email_verified && auth_mode !== 'local'
  return {
    Name: <span className="font-medium">{username}</span>,
    'E-mail': <EmailText text={isOpen ? `${email} (not verified)` : email} />,
    Workspace: tenant.name,
    Role: ROLE_NAMES[role],
  }
}

/** The commands that the person's terminals may repeat without a question. */
function OwnGrants() {
  const userId = useMe().data?.user_id
  const grants = useGrants().data?.filter(({ person }) => person.id === userId) ?? []
  const revoke = useChange('revokeOwnGrants', {})
  const end = () =>
    revoke.mutate(undefined, {
      onSuccess: ({ ended }) => notify({ text: ended === 1 ? 'Revoked one.' : `Revoked ${ended}.` }),
    })
  return (
    <Section title="Remembered approvals" className="mt-8">
      {grants.length > 0 ? (
        <div className="mt-3">
          <GrantList grants={grants} namesPeople={false} />
        </div>
      ) : (
        <p className="mt-1 text-sm text-ink-soft">None in this workspace.</p>
      )}
      <FailureNotice error={revoke.error} act="revoke them" className="mt-3" />
      <Button label="Revoke mine in all workspaces" className="mt-3" busy={revoke.isPending} onClick={end} />
    </Section>
  )
}

/** The terminals whose requests may wait when their command stops. */
function KnownTerminals() {
  const grants = useKnownGrants().data ?? []
  const terminals = Map.groupBy(grants, ({ label }) => placeOf(label) ?? '')
  if (terminals.size === 0) return null
  return (
    <Section title="Known terminals" className="mt-8">
      <p className="mt-1 text-sm text-ink-soft">
        You can approve what they ask also after their command has stopped.
      </p>
      <div className="mt-3">
        <Rows>
          {[...terminals].map(([name, known]) => (
            <KnownTerminal key={name} name={name} known={known} />
          ))}
        </Rows>
      </div>
    </Section>
  )
}

function KnownTerminal({ name, known }: { name: string; known: readonly Grant[] }) {
  const forget = useSteps(
    async () => {
      for (const { id } of known) await call('revokeGrant', { grant_id: id })
    },
    { refreshes: ['listGrants'] },
  )
  return (
    <li className="flex items-center justify-between gap-3 py-2 pr-2 pl-4 text-sm">
      <span className="min-w-0">
        <bdi className="font-medium">{name}</bdi>{' '}
        <span className="text-ink-soft">approved {ago(known[0]?.created_at ?? '')}</span>
      </span>
      <Button
        label="Forget"
        size="small"
        busy={forget.isPending}
        onClick={() => forget.mutate(undefined, { onError: failing(`forget ${name}`) })}
      />
    </li>
  )
}

/** Where the person is signed in, and how to end that here or everywhere. */
function Sessions() {
  const sessions = useAnswer('listSessions', {}).data ?? []
  const signingOut = useSteps(signOut)
  const leave = (where: 'here' | 'everywhere') =>
    signingOut.mutate(where, { onSuccess: (address) => location.assign(address) })
  return (
    <Section title="Signed in on" className="mt-8">
      {sessions.length > 0 && (
        <Rows className="mt-2">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </Rows>
      )}
      <FailureNotice error={signingOut.error} act="sign out" className="mt-3" />
      <div className="mt-4 flex flex-wrap gap-3">
        <Button label="Sign out" busy={signingOut.isPending} onClick={() => leave('here')} />
        <Button label="Sign out everywhere" busy={signingOut.isPending} onClick={() => leave('everywhere')} />
      </div>
    </Section>
  )
}

function SessionRow({ session }: { session: OwnSession }) {
  const { id, current, last_seen_at } = session
  const userAgent = visibleText(session.user_agent)
  const end = useChange('endSession', { id })
  return (
    <li className="flex min-h-13 items-center gap-3 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="line-clamp-2 text-sm" title={userAgent}>
          {browserName(session.user_agent) ?? (userAgent || 'Unknown browser')}
        </p>
        <p className="text-xs text-ink-soft">last seen {ago(last_seen_at)}</p>
      </div>
      {current ? (
        <Badge tone="accent">this one</Badge>
      ) : (
        <IconButton
          label="End this session"
          disabled={end.isPending}
          onClick={() => end.mutate(undefined, { onError: failing('end the session') })}
          icon={X}
          px={17}
        />
      )}
    </li>
  )
}
