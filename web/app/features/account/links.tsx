import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnLink } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useSession } from '../../lib/data/me.ts'
import { signIn } from '../../lib/data/sign-in.ts'
import { dateTime } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Links the way that the person signed in with to the account that they had before, and undoes such links. */
export function SignInLinks() {
  const session = useSession().data
  const from = session?.link_from ?? null
  const own = useAnswer('listLinks', {}).data
  const links = own?.links ?? []
  if (from === null && links.length === 0) return null
  return (
    <Section title="Your earlier sign-in" className="mt-8">
      {links.length > 0 && (
        <Rows label="Linked sign-ins" className="mt-2">
          {links.map((link) => (
            <LinkRow key={link.id} link={link} isOurs={session?.auth_mode !== 'clerk'} />
          ))}
        </Rows>
      )}
      {from !== null && (
        <>
          {own?.offered === true && (
            <Notice tone="plain" className="mt-3">
              Another person here has your e-mail address. If that was you, sign in below.
            </Notice>
          )}
          <p className="mt-2 mb-3 text-sm text-ink-soft">
            Sign in once more as you did before. You then keep your earlier workspaces, with the sign-in that
            you use now. All your sessions end.
          </p>
          {from === 'accounts' ? <OldAccount /> : <OldProvider />}
        </>
      )}
    </Section>
  )
}

/** @param isOurs the sessions are Keyferry's, so undoing can end them; otherwise the operator undoes it */
function LinkRow({ link, isOurs }: { link: OwnLink; isOurs: boolean }) {
  const undo = useChange('undoOwnLink', { link_id: link.id })
  const leave = () => undo.mutate(undefined, { onSuccess: ({ redirect_to }) => location.assign(redirect_to) })
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-3 py-2 pr-2 pl-4">
      <p className="min-w-0 flex-1 text-sm">{stateOf(link)}</p>
      <FailureNotice error={undo.error} />
      {isOurs && (
        <Button
          label={link.linked_at === null ? 'Stop the link' : 'Undo the link'}
          size="small"
          busy={undo.isPending}
          onClick={leave}
        />
      )}
    </li>
  )
}

function stateOf({ linked_at, counts_from, undoable_until }: OwnLink): string {
  if (linked_at === null)
    return `Somebody who signed in your earlier way asked for this link. It can be confirmed from ${dateTime(counts_from)}. If that was not you, stop it.`
  const since = `Linked ${dateTime(linked_at)}.`
  return undoable_until === null
    ? `${since} If you undo it, that sign-in is no longer yours; the workspaces stay with you.`
    : `${since} If you undo it before ${dateTime(undoable_until)}, the workspaces that it brought go back.`
}

function OldAccount() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const link = useMutation({
    mutationFn: signIn,
    gcTime: 0,
    onSuccess: () => location.assign('/sign-in'),
  })
  const submit = () => link.mutate({ email, password, newPassword: null, onPasskey: () => undefined })
  return (
    <Form busy={link.isPending} onSubmit={submit} noValidate={false} className="max-w-read space-y-4">
      <TextField
        label="Earlier e-mail"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={setEmail}
      />
      <PasswordField label="Earlier password" value={password} onChange={setPassword} />
      <FailureNotice error={link.error} />
      <Button label="Link the accounts" type="submit" busy={link.isPending} />
    </Form>
  )
}

function OldProvider() {
  const begin = useChange('beginLink', {})
  const leave = () =>
    begin.mutate(undefined, { onSuccess: ({ redirect_to }) => location.assign(redirect_to) })
  return (
    <>
      <FailureNotice error={begin.error} className="mb-3" />
      <Button label="Sign in at the earlier provider" busy={begin.isPending} onClick={leave} />
    </>
  )
}
