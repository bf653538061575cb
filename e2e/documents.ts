import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

export function readDocument(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8')
}

/** The lines of a document's ```sh blocks, without their comments. */
export function commandsOf(document: string): string[] {
  const blocks = [...readDocument(document).matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
  return blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/\s+# .*$/, '').trim())
}

/** The commands within a document's sentences. */
export function commandsWithin(document: string): string[] {
  const sentences = readDocument(document).replaceAll(/^```.*?^```/gms, '')
  return [...sentences.matchAll(/`((?:[A-Z_]+=\S+ )*(?:npm|npx) [^`]+)`/g)].map(([, command = '']) => command)
}
