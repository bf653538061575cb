import { EXIT, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { storeWithApproval } from '../deposit/store-with-approval.ts'
import { type ImportedText, type ImportTextOptions, nextCommand } from './import-options.ts'

/** Import variables into a server where people sign in: a person sees the plan on the approval page and decides.
 * @returns the exit code · @throws CliError */
export async function importWithApproval(
  options: ImportTextOptions,
  { entries, notes, detach }: ImportedText,
  parts: Parts,
): Promise<number> {
  const { bundleName, workspace, flags, choices, view } = options
  if (options.isDryRun) {
    throw usageError(
      '--dry-run needs a server without a sign-in',
      'Leave it out: the approver sees the plan before anything is stored.',
    )
  }
  if (view === 'person') for (const note of notes) parts.stderr.write(`  note: ${note}\n`)
  const isSecret = (name: string): boolean | null =>
    flags.secret.includes(name) ? true : flags.public.includes(name) ? false : null
  const content = {
    bundle: bundleName,
    workspace,
    entries: entries.map(({ name, value }) => ({ name, value, isSecret: isSecret(name) })),
    detach,
    ...choices,
  }
  await storeWithApproval({ ...options, content }, parts)
  if (view === 'person') parts.stderr.write(`Done. Next: ${nextCommand(options)}\n`)
  return EXIT.ok
}
