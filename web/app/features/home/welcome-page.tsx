import { useTitle } from '../../lib/page/use-title.ts'
import { buttonClasses } from '../../ui/button.tsx'
import type { IconComponent } from '../../ui/icon.tsx'
import { Inbox, SquareTerminal, TicketCheck } from '../../ui/icons.ts'

const STEPS: readonly { Icon: IconComponent; title: string; text: string }[] = [
  {
    Icon: SquareTerminal,
    title: 'A terminal asks',
    text: 'It creates a key pair for this one delivery and shows a link and a check code.',
  },
  {
    Icon: TicketCheck,
    title: 'You approve',
    text: 'You see who asks, compare the code, and choose the variables that the terminal gets.',
  },
  {
    Icon: Inbox,
    title: 'The program starts',
    text: 'The values travel sealed, once. No file and no credential stays behind on that machine.',
  },
]

/** The home page for people who are signed out. */
export function WelcomePage() {
  useTitle('Secrets for a terminal, approved by you')
  return (
    <div className="pt-6 sm:pt-14">
      <h1 className="max-w-read text-2xl font-semibold tracking-tight">
        Secrets reach a terminal when you say so, and leave nothing behind.
      </h1>
      <p className="mt-4 max-w-read text-lg text-ink-soft">
        Keyferry keeps your environment variables encrypted. A program that you start gets them after you
        approve its request here.
      </p>
      <a href="/sign-in" className={`${buttonClasses({ look: 'primary', size: 'large' })} mt-7`}>
        Sign in
      </a>
      <ol className="mt-14 grid gap-8 border-t border-line pt-8 sm:grid-cols-3">
        {STEPS.map(({ Icon, title, text }) => (
          <li key={title}>
            <Icon aria-hidden size={24} strokeWidth={1.6} className="text-accent" />
            <h2 className="mt-3 font-semibold">{title}</h2>
            <p className="mt-1 text-sm text-ink-soft">{text}</p>
          </li>
        ))}
      </ol>
    </div>
  )
}
