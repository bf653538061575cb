import { Notice } from '../../ui/notice.tsx'

/** Instead of the members where nobody signs in: why there are none, and how to get there. */
export function OneUser() {
  return (
    <Notice tone="plain">
      <p>
        This server has one user: whoever works on this machine. Nobody signs in, so nobody can be invited.
      </p>
      <p className="mt-2">
        For a team, start it with <code className="font-mono">AUTH_MODE=accounts</code> (e-mail and password)
        or <code className="font-mono">AUTH_MODE=oidc</code> (your identity provider). What it needs stands in{' '}
        <code className="font-mono">docs/operations.md</code> under “How people sign in”. A team begins with
        an empty library: what is kept here stays with this one user.
      </p>
    </Notice>
  )
}
