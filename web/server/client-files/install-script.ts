import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientFile } from './client-files.ts'

/** The shells that a person may pipe a script into. */
export type ScriptName = 'install.sh' | 'install.ps1'

export type ScriptParts = {
  /** Where clients reach this server, without a trailing slash. */
  readonly origin: string
  readonly version: string
  readonly files: readonly ClientFile[]
  /** The key of the list's signature; empty if the list has none. */
  readonly signer: string
}

// Both shells take everything between single quotes as it is.
const QUOTE: Readonly<Record<ScriptName, string>> = { 'install.sh': `'\\''`, 'install.ps1': `''` }

/** The script that installs the client. The checksums are in it, so who trusts the script may trust the files. */
export async function installScript(name: ScriptName, parts: ScriptParts): Promise<string> {
  const template = await readFile(join(import.meta.dirname, name), 'utf8')
  const quoted = (text: string): string => `'${text.replaceAll("'", QUOTE[name])}'`
  const lines = parts.files.map(({ platform, name: file, sha256 }) => `${platform} ${file} ${sha256}`)
  const words: Readonly<Record<string, string>> = {
    ORIGIN: quoted(parts.origin),
    VERSION: quoted(parts.version),
    FILES: quoted(lines.join('\n')),
    SIGNER: quoted(parts.signer),
  }
  return template.replace(/@([A-Z]+)@/g, (mark, word: string) => words[word] ?? mark)
}
