import { KeyRound, MonitorOff, Undo2 } from 'lucide-react'
import { clockTime } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Outcome } from './outcome.tsx'
import type { End, HeldRequest, RequestKind } from './request-state.ts'
import { useHeldEnd } from './use-held-end.ts'

type HeldProps = {
  requestId: string
  request: HeldRequest
  onCode: (code: string, untilMs: number) => void
  onEnd: (end: End) => void
}

/** An approval on its way back to the terminal: over loopback within seconds, or by a code that the person types there. */
export function Held(props: HeldProps) {
  const { request } = props
  const leftMs = request.untilMs - useNow(250)
  if (request.code !== null && leftMs > 0)
    return <CodeToType {...props} code={request.code} leftMs={leftMs} />
  if (request.isReturning && leftMs > 0) {
    return (
      <Outcome title="Returning to your terminal" Icon={Undo2} tone="plain">
        <p role="status">Your browser returns the approval to the program on this computer.</p>
      </Outcome>
    )
  }
  return <NotReturned {...props} />
}

function CodeToType({ code, leftMs, ...props }: HeldProps & { code: string; leftMs: number }) {
  const end = useHeldEnd(props)
  const isSecond = props.request.choice?.isSecond === true
  return (
    <Outcome title={`Type this code into ${isSecond ? 'the' : 'your'} terminal`} Icon={KeyRound} tone="plain">
      <p
        className="font-mono text-code font-semibold tracking-wider whitespace-nowrap text-ink"
        role="status"
      >
        {code}
      </p>
      <p>{isSecond ? CODE_OF_SECOND : 'Give this code to no one. If someone asks you for it, deny.'}</p>
      <p className="text-sm">
        Waiting for the code, <span role="timer">{clockTime(leftMs)}</span> left
      </p>
      <EndButtons end={end} />
    </Outcome>
  )
}

// The code belongs into the terminal of the person who ran the command, so a warning to give it to no one would not help.
const CODE_OF_SECOND =
  'Give this code only to the person who ran the command, in person or on a call that you started. If anyone else asks you for it, deny.'

function NotReturned(props: HeldProps) {
  const { request } = props
  const end = useHeldEnd(props)
  const takesCode = (request.context.release ?? []).includes('code')
  const words = WORDS[request.context.kind ?? 'delivery']
  const { title, text } = request.choice === null ? words.byAnother : words[request.by]
  return (
    <Outcome title={title} Icon={MonitorOff} tone="plain">
      <p>{text}</p>
      {!takesCode && <p>Deny, then run the command again on this computer, without --no-open.</p>}
      <EndButtons end={end} {...(takesCode ? { action: 'Get a code' } : {})} />
    </Outcome>
  )
}

const BY_ANOTHER = 'A person approved this request, but the approval has not returned to the terminal.'
const USE_CODE = 'If the terminal is still waiting, use a code.'
const FRESH_CODE = 'A code works for two minutes; get a fresh one.'

function wordsOf(nothingYet: string) {
  return {
    byAnother: { title: 'Approved, not yet returned', text: `${BY_ANOTHER} ${nothingYet}` },
    loopback: {
      title: 'Your browser could not reach the program',
      text: `${nothingYet} ${USE_CODE}`,
    },
    code: { title: 'Waiting for a code', text: `${nothingYet} ${FRESH_CODE}` },
  }
}

const WORDS = {
  delivery: wordsOf('The terminal has no values yet.'),
  deposit: wordsOf('Nothing has changed yet.'),
  names: wordsOf('The terminal has no names yet.'),
} as const satisfies Record<RequestKind, unknown>

type EndButtonsProps = { end: ReturnType<typeof useHeldEnd>; action?: string }

function EndButtons({ end, action }: EndButtonsProps) {
  return (
    <>
      {end.problem !== null && (
        <Notice tone="danger" role="alert">
          {end.problem}
        </Notice>
      )}
      <div className="flex flex-wrap gap-3">
        {action !== undefined && (
          <Button look="primary" size="large" busy={end.busy} onClick={() => void end.getCode()}>
            {action}
          </Button>
        )}
        <Button look="danger" size="large" busy={end.busy} onClick={() => void end.deny()}>
          Deny
        </Button>
      </div>
    </>
  )
}
