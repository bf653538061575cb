import type { Me } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useGrants, useWebhooks } from '../../lib/data/lists.ts'
import { useIsOwner, useMe } from '../../lib/data/me.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { GrantList } from '../../ui/grants/grant-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { notify } from '../../ui/toast-store.ts'
import { WorkspaceNameForm } from '../../ui/workspace-name-form.tsx'
import { Members } from './members.tsx'
import { WorkspaceRules } from './workspace-rules.tsx'

/** The workspace's own page: its name, its people, and the way out. */
export function SettingsPage() {
  const me = useMe()
  return (
    <>
      <PageHeading title="Settings" />
      <Loaded query={me} what="the settings">
        {(data) => (
          <>
            <WorkspaceName me={data} />
            <WorkspaceRules />
            <WorkspaceGrants />
            <WorkspaceWebhooks />
            {data.auth_mode === 'local' ? <OneUser /> : <Members me={data} />}
          </>
        )}
      </Loaded>
    </>
  )
}

/** The remembered approvals of all members, for owners. */
function WorkspaceGrants() {
  const isOwner = useIsOwner()
  const grants = useGrants().data ?? []
  if (!isOwner || grants.length === 0) return null
  return (
    <section aria-labelledby="grants" className="mb-8">
      <h2 id="grants" className="mb-1 text-lg font-semibold">
        Remembered approvals <span className="font-normal text-ink-soft">{grants.length}</span>
      </h2>
      <p className="mb-4 max-w-xl text-ink-soft">
        Commands that start without a new approval on one terminal. Changing the rules ends them.
      </p>
      <GrantList grants={grants} namesPeople />
    </section>
  )
}

/** The way to the webhooks, for owners. */
function WorkspaceWebhooks() {
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
      <ButtonLink label="Open webhooks" href="/settings/webhooks" />
    </section>
  )
}

/** Replaces the members in local mode, and says how to start a team. */
function OneUser() {
  return (
    <Notice tone="plain">
      <p>
        This server has one user: the person who works on this machine. There is no sign-in, so you cannot
        invite people.
      </p>
      <p className="mt-2">
        For a team, start it with <code className="font-mono">AUTH_MODE=accounts</code> (e-mail and password)
        or <code className="font-mono">AUTH_MODE=oidc</code> (your identity provider). See{' '}
        <code className="font-mono">docs/operations.md</code>, “How people sign in”. The team starts with an
        empty library; these keys stay with this user.
      </p>
    </Notice>
  )
}

/** The workspace's name; an owner changes it. */
function WorkspaceName({ me: { tenant, role } }: { me: Me }) {
  return (
    <section aria-labelledby="workspace" className="mb-8 max-w-xl">
      <h2 id="workspace" className="mb-2 text-lg font-semibold">
        Workspace
      </h2>
      {role === 'owner' ? (
        <RenameForm key={tenant.name} id={tenant.id} current={tenant.name} />
      ) : (
        <p className="text-ink-soft">
          <strong className="font-medium break-words text-ink">{tenant.name}</strong>. An owner can rename it.
        </p>
      )}
    </section>
  )
}

function RenameForm({ id, current }: { id: string; current: string }) {
  const rename = useChange('renameTenant', { tenant_id: id })
  return (
    <WorkspaceNameForm
      label="Name"
      stored={current}
      change={rename}
      onDone={({ name }) => notify({ text: `Renamed the workspace to ${name}.` })}
    >
      Rename
    </WorkspaceNameForm>
  )
}
