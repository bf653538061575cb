import { useEffect, useSyncExternalStore } from 'react'
import { lookAgain, onSessionLoss, sessionLoss, stopWaiting } from '../../lib/calls/session-loss.ts'
import { useMe } from '../../lib/data/me.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const LOOK_EVERY_MS = 2_000

// Each look uses the session. An open dialog must not keep it from its idle end.
const LOOKS = 300

/** While calls wait because the page's person is not signed in any more: says so, and how they go on. */
export function SessionDialog() {
  const loss = useSyncExternalStore(onSessionLoss, sessionLoss)
  const isLost = loss !== null
  useEffect(() => {
    if (!isLost) return undefined
    const look = () => void lookAgain()
    let looks = 0
    const timer = setInterval(() => {
      looks += 1
      if (looks <= LOOKS) look()
    }, LOOK_EVERY_MS)
    addEventListener('focus', look)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', look)
    }
  }, [isLost])
  if (loss === null) return null
  return loss.another === null ? (
    <SignedOut isTooOld={loss.isTooOld === true} />
  ) : (
    <AnotherPerson name={loss.another} />
  )
}

export function SignedOut({ isTooOld }: { isTooOld: boolean }) {
  const [title, why, again] = isTooOld
    ? ['Sign in again', 'This loosens something, and your sign-in was too long ago for that.', '&again=1']
    : ['You are signed out', 'Your text is still here, and nothing is saved yet.', '']
  return (
    <Dialog title={title} onClose={stopWaiting}>
      <p>{why} Sign in in a new window. This page then goes on by itself.</p>
      <p className="mt-5 flex justify-end">
        <NewWindow
          href={`/sign-in?return_to=/settings${again}`}
          label="Sign in in a new window"
          look="primary"
        />
      </p>
    </Dialog>
  )
}

export function AnotherPerson({ name }: { name: string }) {
  const me = useMe().data
  return (
    <Dialog title="Another person signed in" onClose={stopWaiting}>
      <p className="[overflow-wrap:anywhere]">
        In this browser, {name} is signed in now. This page belongs to {me?.email || me?.username}, and
        nothing is saved. To save your text, sign out in a new window and sign in as yourself.
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-3">
        <Button label="Discard my text" onClick={() => location.reload()} />
        <NewWindow href="/settings" label="Open a new window" look="primary" />
      </div>
    </Dialog>
  )
}

function NewWindow({ href, label, look }: { href: string; label: string; look: 'primary' }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={buttonClasses({ look })}>
      {label}
    </a>
  )
}
