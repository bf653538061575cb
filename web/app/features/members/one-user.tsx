import { Notice } from '../../ui/notice.tsx'

/** Replaces the members in local mode, and says how to start a team. */
export function OneUser() {
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
