import { type ReactNode, useEffect, useRef, useState } from 'react'
import { describeFailure, type Failure } from '../../lib/calls/failure.ts'
import { FailureState } from '../../ui/loaded.tsx'

/** An answer of the server, as far as it has arrived. `none`: what it depends on is not chosen yet. */
export type Loaded<T> = {
  phase: 'none' | 'loading' | 'ready' | 'failed'
  value: T | null
  problem: Failure | null
  reload: () => void
}

type LoadOptions = {
  /** The answer that is there stays in view until the next one comes. */
  keeps?: boolean
  /** Whether the failure is dealt with; else the page shows it. */
  onFailure?: (failure: Failure) => boolean
}

/** `of`: what it depends on, as a text. */
type LoadedAnswer<T> = { of: string } & Pick<Loaded<T>, 'value' | 'problem'>

/** Load an answer, and again when what it depends on changes. An answer that comes after another choice is dropped.
 * `reload` keeps the answer in view.
 * @param of what the answer depends on; null: not chosen yet */
export function useLoaded<T, Of>(
  of: Of | null,
  load: (of: Of) => Promise<T>,
  options: LoadOptions = {},
): Loaded<T> {
  const [answer, setAnswer] = useState<LoadedAnswer<T> | null>(null)
  const [attempt, setAttempt] = useState(0)
  const latest = useRef({ of, load, options })
  latest.current = { of, load, options }
  const key = of === null ? null : JSON.stringify(of)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what `latest` has
  useEffect(() => {
    const { of: chosen, load: start } = latest.current
    if (chosen === null || key === null) return setAnswer(null)
    let isCurrent = true
    const fail = (problem: Failure) => {
      if (latest.current.options.onFailure?.(problem) === true) return
      setAnswer({ of: key, value: null, problem })
    }
    start(chosen).then(
      (value) => isCurrent && setAnswer({ of: key, value, problem: null }),
      (error: unknown) => isCurrent && fail(describeFailure(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [key, attempt])
  const reload = () => {
    setAnswer((before) => (before?.problem ? null : before))
    setAttempt((count) => count + 1)
  }
  const isShown = key !== null && (answer?.of === key || (options.keeps === true && answer?.problem === null))
  if (answer === null || !isShown)
    return { phase: key === null ? 'none' : 'loading', value: null, problem: null, reload }
  return { phase: answer.problem === null ? 'ready' : 'failed', ...answer, reload }
}

type WhenLoadedProps<T> = { of: Loaded<T>; none: string; loading: string; children: (value: T) => ReactNode }

/** An answer once it has arrived; before that, what it waits for, or why it failed. */
export function WhenLoaded<T>({ of, none, loading, children }: WhenLoadedProps<T>) {
  if (of.value !== null) return children(of.value)
  if (of.problem !== null) return <FailureState failure={of.problem} refetch={of.reload} />
  return <Quiet>{of.phase === 'none' ? none : loading}</Quiet>
}

/** A remark in place of a list. */
export function Quiet({ children }: { children: ReactNode }) {
  return <p className="py-1.5 pl-7 text-ink-soft">{children}</p>
}
