import type { ImportPlan, Step, StepKind } from './plan.ts'

const SIGNS = { create: '+', replace: '~', change: '~', same: '=' } as const satisfies Record<
  StepKind,
  string
>

/** The plan as lines for a person: names and what happens to them, never a value. */
export function planText({ bundleName, bundleId, steps }: ImportPlan, server: string): string {
  const widest = Math.min(40, Math.max(0, ...steps.map(({ name }) => name.length)))
  const head = `Import into ${bundleName}${bundleId === null ? ' (a new bundle)' : ''} at ${server}\n`
  return `${head}${steps.map((step) => stepLine(step, widest)).join('')}${summary(steps)}\n`
}

/** The plan for a machine: names by what happens to them. */
export function planFacts({ bundleName, bundleId, steps }: ImportPlan): object {
  const named = (kind: StepKind): string[] =>
    steps.filter((step) => step.kind === kind).map(({ name }) => name)
  return {
    bundle: bundleName,
    is_new_bundle: bundleId === null,
    create: named('create'),
    replace: named('replace'),
    change: named('change'),
    same: named('same'),
    attach: steps.filter(({ attaches }) => attaches).map(({ name }) => name),
  }
}

function stepLine(step: Step, widest: number): string {
  return `  ${SIGNS[step.kind]} ${step.name.padEnd(widest)}  ${[whatHappens(step), ...attachment(step)].join(', ')}\n`
}

function whatHappens(step: Step): string {
  const { kind, isSecret } = step
  if (kind === 'create') return isSecret ? 'new, secret' : 'new, public'
  if (kind === 'replace') {
    const seen = isSecret ? '' : ', becomes public'
    return `will be replaced${elsewhere(step)} (secret: the values cannot be compared)${seen}`
  }
  return kind === 'change' ? `changes${elsewhere(step)}${isSecret ? ', becomes secret' : ''}` : 'same'
}

// A key has one value for all its bundles: whoever fills one bundle must see that others change with it.
function elsewhere({ bundles, attaches }: Step): string {
  const others = attaches ? bundles : bundles - 1
  return others <= 0 ? '' : ` in ${others} other ${others === 1 ? 'bundle' : 'bundles'} too`
}

function attachment({ kind, attaches }: Step): string[] {
  return attaches && kind !== 'create' ? ['to be attached'] : []
}

function summary(steps: readonly Step[]): string {
  const count = (kind: StepKind): number => steps.filter((step) => step.kind === kind).length
  const attached = steps.filter(({ attaches }) => attaches).length
  return `${count('create')} new, ${count('replace')} to be replaced, ${count('change')} changed, ${count('same')} same; ${attached} to attach`
}
