import type { EnvEntry } from '@keyferry/contract/env'
import { MASK } from '@keyferry/contract/limits'
import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Library, LibraryKey } from './library.ts'

/** - `create`: the library has no such key
 * - `replace`: a secret, of which nobody can say whether it differs
 * - `change`: a public key with another value, or another secret flag
 * - `same`: nothing to write */
export type StepKind = 'create' | 'replace' | 'change' | 'same'

export type Step = {
  readonly kind: StepKind
  readonly name: string
  readonly value: string
  readonly isSecret: boolean
  readonly keyId: string | null
  readonly attaches: boolean
  /** Bundles that use the key and see the change. */
  readonly bundles: number
}

export type ImportPlan = {
  readonly bundleName: string
  /** Null: to be created. */
  readonly bundleId: string | null
  readonly steps: readonly Step[]
}

/** Names said to be secret or public; a key named in neither keeps its flag, and a new one is secret. */
export type SecretFlags = { readonly secret: readonly string[]; readonly public: readonly string[] }

/** What an import would do, in the order of the file.
 * @throws CliError general: masks where values should be */
export function planImport(
  bundleName: string,
  entries: readonly EnvEntry[],
  { library, flags }: { library: Library; flags: SecretFlags },
): ImportPlan {
  requireNoMasks(entries, library)
  const steps = entries.map((entry) => planStep(entry, library, flags))
  return { bundleName, bundleId: library.bundleId, steps }
}

/** The steps that overwrite something. */
export function overwrites({ steps }: ImportPlan): readonly Step[] {
  return steps.filter(({ kind }) => kind === 'replace' || kind === 'change')
}

function planStep({ name, value }: EnvEntry, { keys, attached }: Library, flags: SecretFlags): Step {
  const existing = keys.get(name)
  const isSecret =
    flags.secret.includes(name) || (!flags.public.includes(name) && (existing?.isSecret ?? true))
  return {
    kind: existing === undefined ? 'create' : kindOf(existing, value, isSecret),
    name,
    value,
    isSecret,
    keyId: existing?.id ?? null,
    attaches: !attached.has(name),
    bundles: existing?.bundles ?? 0,
  }
}

function kindOf(existing: LibraryKey, value: string, isSecret: boolean): StepKind {
  if (existing.isSecret) return 'replace'
  return existing.value === value && !isSecret ? 'same' : 'change'
}

function requireNoMasks(entries: readonly EnvEntry[], { keys }: Library): void {
  const masked = entries.filter(({ name, value }) => value === MASK && keys.get(name)?.isSecret !== false)
  if (masked.length === 0) return
  throw new CliError(
    EXIT.general,
    `${masked.map(({ name }) => name).join(', ')}: ${MASK} stands where the value was masked, and is no value itself`,
    'Nothing was imported. Take these lines out of the file, or put the values in.',
  )
}
