import { useState } from 'react'
import type { CreatedInvitation } from '../../lib/calls/answers.ts'
import { useMay, useMe } from '../../lib/data/me.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { InviteForm, InviteLink } from './invitations.tsx'
import { Members } from './members.tsx'

/** Who works in the workspace, and who is invited. */
export function MembersPage() {
  const me = useMe()
  const may = useMay()
  const [links, setLinks] = useState<readonly CreatedInvitation[]>([])
  // A new link for the same address replaces the old one.
  const add = (invitation: CreatedInvitation) =>
    setLinks((all) => [invitation, ...all.filter(({ email }) => email !== invitation.email)])
  const isTeam = me.data?.auth_mode !== 'local'
  return (
    <>
      <PageHeading
        title="Members"
        actions={may('createInvitation') && isTeam && <InviteForm onCreated={add} />}
      />
      {links.map((invitation) => (
        <InviteLink key={invitation.id} invitation={invitation} />
      ))}
      <Loaded query={me} what="the members">
        {(data) =>
          data.auth_mode === 'local' ? (
            <OneUser />
          ) : (
            <Members
              me={data}
              onCreated={add}
              onRevoked={(id) => setLinks((all) => all.filter((each) => each.id !== id))}
            />
          )
        }
      </Loaded>
    </>
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
        For a team, start it with{' '}
        <code translate="no" className="font-mono">
          AUTH_MODE=accounts
        </code>{' '}
        (e-mail and password) or{' '}
        <code translate="no" className="font-mono">
          AUTH_MODE=oidc
        </code>{' '}
        (your identity provider). See{' '}
        <code translate="no" className="font-mono">
          docs/operations.md
        </code>
        , “How people sign in”. The team starts empty; these variables stay with this user.
      </p>
    </Notice>
  )
}
