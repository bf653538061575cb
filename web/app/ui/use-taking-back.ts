import type { ImportRequest } from '../lib/calls/answers.ts'
import { call } from '../lib/calls/call.ts'
import { Problem } from '../lib/calls/failure.ts'
import { LIBRARY } from '../lib/calls/refreshes.ts'
import { useSteps } from '../lib/calls/use-call.ts'
import { failing } from './toast-store.ts'

/** Import, unless a bundle has a value that `seen` does not name.
 * @param lookAgain runs before it throws
 * @throws Problem: another person changed it */
export async function importUnchanged(asked: ImportRequest, lookAgain?: () => Promise<unknown>) {
  const { plan, plan_id, also = [] } = await call('importVariables', { ...asked, dry_run: true })
  const found = [plan, ...also.map((other) => other.plan)].flat().find(({ changed }) => changed)
  if (found === undefined) return await call('importVariables', { ...asked, plan_id })
  await lookAgain?.()
  throw new Problem(`${found.changed?.by ?? 'Another person'} changed ${found.name} too.`)
}

type NewVariables = { names: readonly string[]; bundles: readonly string[]; shared?: readonly string[] }

/** Removes new variables from their bundles. The dialog that made them is gone by then.
 * @param made `shared`: the bundles that use the value of another one, which stays there */
export function useTakingBack({ names, bundles, shared = [] }: NewVariables) {
  const { mutateAsync } = useSteps((asked: ImportRequest) => importUnchanged(asked), { refreshes: LIBRARY })
  const seen = names.map((name) => ({ name, version: 1 }))
  const from = (bundle = '') => ({
    bundle,
    entries: [],
    detach: [...names],
    ...(!shared.includes(bundle) && { seen }),
  })
  const [first, ...also] = bundles.map((bundle) => from(bundle))
  return () => void mutateAsync({ ...(first ?? from()), also }).catch(failing('take it back'))
}
