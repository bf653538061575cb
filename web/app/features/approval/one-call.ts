import { useRef, useState } from 'react'
import { describeFailure, type Failure } from '../../lib/calls/failure.ts'

/** One call at a time; presses during a call do nothing. `problem` is why the last call failed.
 * @param explain what to show about a failure; null: it is dealt with */
export function useOneCall<Name extends string>(explain: (failure: Failure) => string | null) {
  const underWay = useRef(false)
  const [busy, setBusy] = useState<Name | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const attempt = async (name: Name, act: () => Promise<void>) => {
    if (underWay.current) return
    underWay.current = true
    setBusy(name)
    setProblem(null)
    try {
      await act()
    } catch (error) {
      setProblem(explain(describeFailure(error)))
    } finally {
      underWay.current = false
      setBusy(null)
    }
  }
  return { busy, problem, setProblem, attempt }
}
