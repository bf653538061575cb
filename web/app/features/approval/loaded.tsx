import { type ReactNode, useEffect, useRef, useState } from 'react'
import { describeFailure, type Failure } from '../../lib/calls/failure.ts'
import { FailureState } from '../../ui/loaded.tsx'

type State<T> = { phase: 'none' | 'loading' | 'ready' | 'failed'; value: T | null; problem: Failure | null }

/** An answer of the server, as far as it has arrived. `none`: what it depends on is not chosen yet. */
export type Loaded<T> = State<T> & { reload: () => void }

type Options<T> = {
  /** The answer that is there stays in view until the next one comes. */
  keeps?: boolean
  onReady?: (value: T) => void
  /** Whether the failure is dealt with; else the page shows it. */
  onFailure?: (failure: Failure) => boolean
}

const NONE = { phase: 'none', value: null, problem: null } as const
const LOADING = { phase: 'loading', value: null, problem: null } as const

/** Load an answer, and again when what it depends on changes. An answer that comes after another choice is dropped.
 * `reload` keeps the answer in view.
 * @param of what the answer depends on; null: not chosen yet */
export function useLoaded<T, Of>(
  of: Of | null,
  load: (of: Of) => Promise<T>,
  options: Options<T> = {},
): Loaded<T> {
  const [state, setState] = useState<State<T>>(NONE)
  const latest = useRef({ of, load, options })
  latest.current = { of, load, options }
  const key = JSON.stringify(of)
  const [attempt, setAttempt] = useState(0)
  const shown = useRef(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what `latest` holds
  useEffect(() => {
    const { of: chosen, load: start } = latest.current
    const keeps = latest.current.options.keeps === true || shown.current === key
    shown.current = key
    if (chosen === null) return setState(NONE)
    let isCurrent = true
    setState((before) => (keeps && before.phase === 'ready' ? before : LOADING))
    const succeed = (value: T) => {
      setState({ phase: 'ready', value, problem: null })
      latest.current.options.onReady?.(value)
    }
    const fail = (failure: Failure) => {
      if (latest.current.options.onFailure?.(failure) === true) return
      setState({ phase: 'failed', value: null, problem: failure })
    }
    start(chosen).then(
      (value) => isCurrent && succeed(value),
      (error: unknown) => isCurrent && fail(describeFailure(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [key, attempt])
  // The effect begins to load after the first render.
  const phase = of !== null && state.phase === 'none' ? 'loading' : state.phase
  return { ...state, phase, reload: () => setAttempt((count) => count + 1) }
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
  return <p className="text-sm text-ink-soft">{children}</p>
}
