import { decodeText } from '@keyferry/contract/env/decode-text'

/** Larger files are not read. */
const MOST_BYTES = 2_097_152

/** The text of the one file that a person chose or dropped.
 * @throws Error as a sentence for the person: there are several files, it is too large, or it is not UTF-8 */
export async function readTextFile(files: readonly File[]): Promise<string> {
  const [file, ...others] = files
  if (file === undefined) throw new Error('Drop a file or paste its text.')
  if (others.length > 0) throw new Error(`Choose one file at a time: none of the ${files.length} was read.`)
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 2 MiB.`)
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`${file.name} could not be read. Choose the file again.`)
  })
  return decoded(new Uint8Array(bytes), file.name)
}

function decoded(bytes: Uint8Array, name: string): string {
  try {
    return decodeText(bytes)
  } catch {
    throw new Error(`${name} is not UTF-8 text. Save it as UTF-8, then choose it again.`)
  }
}
