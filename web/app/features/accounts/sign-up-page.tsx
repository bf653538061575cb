import { invitationToken } from '../../lib/accounts/sign-in.ts'
import type { InvitationOffer } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { ROLE_NAMES } from '../../lib/data/me.ts'
import { EmailText } from '../../ui/email-text.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { PageNote } from '../../ui/page-note.tsx'
import { AccountForm, FormCard } from './account-form.tsx'
import { NewPasswordField, useNewPassword } from './password-field.tsx'

/** Makes an account by an invitation; without one there is no way to make an account. */
export function SignUpPage() {
  const token = invitationToken(location.search)
  if (token === null)
    return (
      <PageNote title="You need an invitation">
        Accounts are made by invitation only. Ask an owner of the workspace for a link, or{' '}
        <a href="/sign-in" className="link">
          sign in
        </a>{' '}
        if you have an account.
      </PageNote>
    )
  return (
    <FormCard>
      <SignUpForm token={token} />
    </FormCard>
  )
}

function SignUpForm({ token }: { token: string }) {
  const { field, isFine } = useNewPassword()
  const attempt = useChange('signUp', { token })
  const offer = useAnswer('previewInvitation', { token }, { staleTime: Number.POSITIVE_INFINITY }).data
  const submit = () => {
    if (isFine()) attempt.mutate({ password: field.value }, { onSuccess: () => location.assign('/') })
  }
  return (
    <>
      <PageHeading
        title={offer === undefined ? 'You are invited' : `Join ${offer.tenant.name}`}
        intro={offer === undefined ? FOR_INVITED : <EmailText text={introOf(offer)} />}
      />
      <AccountForm
        action="Create the account and join"
        attempt={attempt}
        explain={({ status }) => REFUSALS[status ?? 0]}
        onSubmit={submit}
      >
        <NewPasswordField {...field} autoFocus />
      </AccountForm>
      <p className="mt-5 text-sm text-ink-soft">
        You have an account already?{' '}
        <a href={`/sign-in?return_to=${encodeURIComponent(`/invite/${token}`)}`} className="link">
          Sign in and join
        </a>
      </p>
    </>
  )
}

const FOR_INVITED =
  'Choose a password. Your account is made for the e-mail address that the invitation was sent to.'

function introOf({ invited_by, tenant, role, email }: InvitationOffer): string {
  const inviter = `${invited_by.username} (${invited_by.email ?? 'e-mail not verified'})`
  return `${inviter} invites you to the workspace ${tenant.name} as ${ROLE_NAMES[role].toLowerCase()}. Choose a password for ${email}.`
}

const REFUSALS: Readonly<Record<number, string>> = {
  404: 'This invitation was used or revoked, or has expired. Ask for a new one.',
  409: 'There is an account for this invitation’s address. Sign in to join.',
}
