import { spanText, TIMES } from '@keyferry/contract/limits'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { useNow } from '../../lib/page/use-now.ts'
import { clockTime } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { KeyRound, MonitorOff, SquareTerminal, Undo2 } from '../../ui/icons.ts'
import { Problem } from '../../ui/notice.tsx'
import { call } from './calls.ts'
import { WORDS } from './kind-words.ts'
import { useOneCall } from './one-call.ts'
import { Outcome } from './outcome.tsx'
import { inWorkspace } from './place/place.ts'
import { endOf, type HeldRequest, kindOf, type RequestEnd } from './request-state.ts'
import { startAgain } from './return-plan.ts'

type HeldProps = {
  requestId: string
  request: HeldRequest
  onCode: (code: string, untilMs: number) => void
  onEnd: (end: RequestEnd) => void
}

/** An approval on its way back to the terminal: over loopback within seconds, or by a code that the person types
 * there. */
export function Held(props: HeldProps) {
  const { request } = props
  const leftMs = request.untilMs - useNow(250)
  if (request.isKept && leftMs > 0) {
    return (
      <Outcome title="Answer the question in the terminal" Icon={SquareTerminal}>
        <p role="status">
          The terminal asks whether it may use this workspace. {WORDS[kindOf(request.context)].nothingYet}
        </p>
        <EndButtons {...props} />
      </Outcome>
    )
  }
  if (request.code !== null && leftMs > 0)
    return <CodeToType {...props} code={request.code} leftMs={leftMs} />
  if (request.isReturning && leftMs > 0) {
    return (
      <Outcome title="Returning to the terminal" Icon={Undo2}>
        <p role="status">Your browser returns your decision to the program on this computer.</p>
      </Outcome>
    )
  }
  return <NotReturned {...props} />
}

function CodeToType({ code, leftMs, ...props }: HeldProps & { code: string; leftMs: number }) {
  const { choice, context } = props.request
  const isSecond = choice?.isSecond ?? context.vouch === 'returned'
  const whose = choice?.isSecond === false ? 'your' : 'the'
  return (
    <Outcome title={`Type this code into ${whose} terminal`} Icon={KeyRound}>
      <p
        className="font-mono text-code font-medium tracking-[0.04em]! whitespace-nowrap text-ink"
        role="status"
      >
        {code}
      </p>
      <p>
        The terminal shows the check code{' '}
        <span className="font-mono whitespace-nowrap text-ink">{context.user_code}</span>.{' '}
        {isSecond ? CODE_OF_SECOND : 'Give this code to no one. If someone asks you for it, deny.'}
      </p>
      <p className="text-sm">
        Waiting for the code, <span role="timer">{clockTime(leftMs)}</span> left
      </p>
      <EndButtons {...props} />
    </Outcome>
  )
}

// The code belongs into the terminal of the person who ran the command, so a warning to give it to no one would not
// help.
const CODE_OF_SECOND =
  'Give this code only to the person who ran the command, in person or on a call that you started. If anyone else asks you for it, deny.'

function NotReturned(props: HeldProps) {
  const takesCode = (props.request.context.release ?? []).includes('code')
  const [title, text] = whyNotReturned(props.request)
  return (
    <Outcome title={title} Icon={MonitorOff}>
      <p>{text}</p>
      {!takesCode && <p>Deny. {startAgain(props.request.context)}</p>}
      <EndButtons {...props} offersCode={takesCode} />
    </Outcome>
  )
}

function whyNotReturned({ context, choice, by }: HeldRequest): [title: string, text: string] {
  const code = context.release?.includes('code') ? ' If the terminal is still waiting, use a code.' : ''
  const hint = choice?.mayBeLater
    ? `${code} If the command stopped, let it run once when it asks again.`
    : code
  const { nothingYet } = WORDS[kindOf(context)]
  if (choice === null && context.vouch === 'held') {
    const vouched = 'A person says that this is their terminal, but that has not returned to it.'
    return ['Asked, not yet returned', `${vouched} ${nothingYet}`]
  }
  if (choice === null) {
    const approved = 'A person approved this request, but the approval has not returned to the terminal.'
    return ['Approved, not yet returned', `${approved} ${nothingYet}`]
  }
  return by === 'loopback'
    ? ['Your browser could not reach the program', `${nothingYet}${hint}`]
    : [
        'Waiting for a code',
        `${nothingYet} A code works for ${spanText(TIMES.codeReleaseSeconds)}; get a fresh one.`,
      ]
}

// `offersCode`: only where the approval did not reach the program.
function EndButtons({ offersCode, ...props }: HeldProps & { offersCode?: boolean }) {
  const offersLater = offersCode !== undefined && props.request.choice?.mayBeLater
  const { busy, problem, getCode, approveLater, deny } = useHeldEnd(props)
  const shared = { size: 'large', busy: busy !== null } as const
  return (
    <>
      <Problem text={problem} />
      <div className="flex flex-wrap justify-center gap-3">
        {offersCode && <Button label="Get a code" {...shared} look="primary" onClick={getCode} />}
        {offersLater && <Button label="Once" {...shared} onClick={approveLater} />}
        <Button label="Deny" {...shared} onClick={deny} />
      </div>
    </>
  )
}

/** What a person does with an approval that has not returned: get a fresh code, approve the next run, or deny. */
function useHeldEnd({ requestId, request, onCode, onEnd }: HeldProps) {
  const { busy, problem, attempt } = useOneCall((failure) => {
    const end = failure.status === 404 ? endOf(failure, request.context.expires_at) : null
    if (end === null) return failure.message
    onEnd(end)
    return null
  })
  const asked = { request_id: requestId }
  const options = request.choice === null ? {} : inWorkspace(request.choice.workspaceId)
  const getCode = async () => {
    const { release } = await call('createReleaseCode', asked, options)
    if (release.by === 'code') onCode(release.code, serverNowMs() + release.expires_in * 1_000)
  }
  const approveLater = async () => {
    if (request.choice === null) return
    const { bundle, keys } = request.choice
    const chosen = { bundle_id: bundle.id, include_keys: [...keys], later: true as const }
    await call('encryptFromBundle', { ...asked, ...chosen }, options)
    onEnd('later')
  }
  const deny = async () => {
    await call('denyRequest', asked, options)
    onEnd('denied')
  }
  return {
    busy,
    problem,
    getCode: () => void attempt('code', getCode),
    approveLater: () => void attempt('later', approveLater),
    deny: () => void attempt('deny', deny),
  }
}
