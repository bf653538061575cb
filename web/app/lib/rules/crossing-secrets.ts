import { isProduction } from '@keyferry/contract/production'
import type { Bundle, ImportStep } from '../calls/answers.ts'

type Known = Pick<Bundle, 'name' | 'tags' | 'production'>
type Step = Pick<ImportStep, 'name' | 'action' | 'is_secret' | 'shared_with'>

const NOT_SHARED: ReadonlySet<Step['action']> = new Set(['create', 'own', 'update', 'detach'])

/** The names of a plan under which production and another environment would deliver the same secret. */
export function crossingSecrets(
  plan: readonly Step[],
  bundleName: string,
  bundles: readonly Known[],
): string[] {
  const isForProduction = (name: string) =>
    isProduction(bundles.find((bundle) => bundle.name === name) ?? { name, tags: '', production: 'by_name' })
  const own = isForProduction(bundleName)
  return plan
    .filter(({ action, is_secret }) => is_secret && !NOT_SHARED.has(action))
    .filter(({ shared_with }) => shared_with.some((other) => isForProduction(other) !== own))
    .map(({ name }) => name)
}
