import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientFile } from './client-files.ts'

/** A script that a person may pipe into a shell. */
export type ScriptName = 'install.sh' | 'install.ps1' | 'install-server.sh'

export type ScriptParts = {
  /** Where clients reach this server, without a trailing slash. */
  readonly origin: string
  readonly version: string
  readonly files: readonly ClientFile[]
  /** The key of the list's signature; empty if the list has none. */
  readonly signer: string
}

// Both shells take everything between single quotes as it is.
const QUOTES = { sh: `'\\''`, ps1: `''` } as const

/** The script that installs the client or the server. The checksums are in it, so who trusts the script may trust the
 * files.
 * @param folder of the template */
export async function installScript(
  name: ScriptName,
  parts: ScriptParts,
  folder = import.meta.dirname,
): Promise<string> {
  const template = await readFile(join(folder, name), 'utf8')
  const shared = await readFile(join(import.meta.dirname, 'install-parts.sh'), 'utf8')
  const quote = QUOTES[name.endsWith('.sh') ? 'sh' : 'ps1']
  const quoted = (text: string): string => `'${text.replaceAll("'", quote)}'`
  const lines = parts.files.map(({ platform, name: file, sha256 }) => `${platform} ${file} ${sha256}`)
  const words: Readonly<Record<string, string>> = {
    ORIGIN: quoted(parts.origin),
    VERSION: quoted(parts.version),
    FILES: quoted(lines.join('\n')),
    SIGNER: quoted(parts.signer),
    PARTS: shared.trimEnd(),
  }
  return template.replace(/@([A-Z]+)@/g, (mark, word: string) => words[word] ?? mark)
}
