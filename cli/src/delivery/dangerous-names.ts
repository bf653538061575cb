import { whyDangerous } from '@keyferry/contract/env/dangerous-names'
import { generalError } from '../base/cli-error.ts'
import type { Values } from '../base/parts.ts'

/** Names that are dangerous and not allowed, each with the reason: `PATH decides which programs are found`. Both texts
 * are empty if every name is harmless or allowed. */
export function refusedNames(names: Iterable<string>, allowedNames: readonly string[]) {
  const refused = [...names].flatMap((name) => {
    const reason = allowedNames.includes(name) ? null : whyDangerous(name)
    return reason === null ? [] : [{ name, text: `${name} ${reason}` }]
  })
  return {
    reasons: refused.map(({ text }) => text).join('; '),
    flags: refused.map(({ name }) => `--allow-name ${name}`).join(' '),
  }
}

/** The values under their final names.
 * @throws CliError general: a dangerous name that is not among `allowedNames` */
export function harmlessValues(
  values: Values,
  { prefix, allowedNames }: { readonly prefix: string; readonly allowedNames: readonly string[] },
): Values {
  const renamed = new Map([...values].map(([name, value]) => [prefix + name, value]))
  const { reasons, flags } = refusedNames(renamed.keys(), allowedNames)
  if (flags === '') return renamed
  throw generalError(
    `the delivery has dangerous names, so it was not used: ${reasons}`,
    `To use it anyway, run the same command again with ${flags}.`,
  )
}
