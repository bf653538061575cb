import { useLocation } from 'wouter'
import { notify, type Remark } from './toast-store.ts'

/** A change that a dialog makes. */
export type Mutation<Input, Answer> = {
  mutateAsync: (input: Input) => Promise<Answer>
  isPending: boolean
  error: Error | null
}

type Of<Answer, Result> = Result | ((answer: Answer) => Result)

/** Make a change, then what follows it, also if the new lists have taken the dialog off the page by then. The dialog
 * shows a failure from `error`. */
export function carryOut<Input, Answer>(
  change: Mutation<Input, Answer>,
  input: Input,
  follow: (answer: Answer) => void,
): void {
  change.mutateAsync(input).then(follow, () => undefined)
}

/** What follows a change that a dialog has made: it closes, leads to an address and says what happened. */
export type ChangeEnding<Answer> = {
  /** What the toast says. */
  done?: Of<Answer, string | Remark>
  /** The address to go to. */
  leadsTo?: Of<Answer, string>
  /** Follows in the place of all that, for example with what the answer shows once. */
  onDone?: (answer: Answer) => void
  onClose: () => void
}

/** @returns what a dialog calls with the answer to its change */
export function useEnding<Answer>({ done, leadsTo, onDone, onClose }: ChangeEnding<Answer>) {
  const [, navigate] = useLocation()
  return (answer: Answer): void => {
    if (onDone !== undefined) {
      onDone(answer)
      return
    }
    onClose()
    if (leadsTo !== undefined) navigate(resultOf(leadsTo, answer))
    if (done === undefined) return
    const remark = resultOf(done, answer)
    notify(typeof remark === 'string' ? { text: remark } : remark)
  }
}

function resultOf<Answer, Result extends string | object>(given: Of<Answer, Result>, answer: Answer): Result {
  return typeof given === 'function' ? given(answer) : given
}
