import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../plumbing/test/until.ts'

/** A program for BROWSER that notes the address it is to open, for a test to open it in its own browser. */
export async function noteAddresses(
  folder: string,
): Promise<{ program: string; next: () => Promise<string> }> {
  const program = join(folder, 'browser')
  const note = join(folder, 'address')
  await writeFile(program, `#!/bin/sh\nprintf '%s' "$1" > ${note}.new && mv ${note}.new ${note}\n`)
  await chmod(program, 0o755)
  const next = async () => {
    const address = await until('an address', async () => await readFile(note, 'utf8').catch(() => ''))
    await rm(note)
    return address
  }
  return { program, next }
}
