import { hash } from 'node:crypto'

const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d
const HEADER_BYTES = 32
const PAGE_BYTES = 4096
const HASH_BYTES = 32
const SUPER_BLOB_BYTES = 20
const DIRECTORY_BYTES = 88
const ADHOC_LINKER_SIGNED = 0x20002
const SHA_256 = 2
const MAIN_PROGRAM = 1n

/** Replace the code signature of a 64-bit Mach-O program by an ad hoc one, as linkers make it. macOS ends a program
 * whose signature does not match its bytes, and Bun leaves the old signature in the programs for Intel.
 * @param identifier ASCII; names the program in its signature
 * @throws Error: the program has no signature to replace */
export function withAdHocSignature(program: Buffer, identifier: string): Buffer {
  const { linkedit, signature, textBytes } = commandsOf(program)
  const codeBytes = program.readUInt32LE(signature + 8)
  const blobBytes = SUPER_BLOB_BYTES + hashesAt(identifier) + pagesOf(codeBytes) * HASH_BYTES
  const signed = Buffer.alloc(codeBytes + blobBytes)
  program.copy(signed, 0, 0, codeBytes)
  signed.writeUInt32LE(blobBytes, signature + 12)
  const linkeditBytes = signed.length - Number(program.readBigUInt64LE(linkedit + 40))
  signed.writeBigUInt64LE(BigInt(pagesOf(linkeditBytes) * PAGE_BYTES), linkedit + 32)
  signed.writeBigUInt64LE(BigInt(linkeditBytes), linkedit + 48)
  const blob = signed.subarray(codeBytes)
  writeWords(blob, [0xfade0cc0, blobBytes, 1, 0, SUPER_BLOB_BYTES])
  writeDirectory(blob.subarray(SUPER_BLOB_BYTES), {
    code: signed.subarray(0, codeBytes),
    identifier,
    textBytes,
  })
  return signed
}

type Signed = { readonly code: Buffer; readonly identifier: string; readonly textBytes: number }

/** The code directory: what is signed, and the SHA-256 of each of its pages. */
function writeDirectory(directory: Buffer, { code, identifier, textBytes }: Signed): void {
  const pages = pagesOf(code.length)
  const places = [hashesAt(identifier), DIRECTORY_BYTES, 0, pages, code.length]
  const sizeOfHash = HASH_BYTES << 24
  const words = [0xfade0c02, directory.length, 0x20400, ADHOC_LINKER_SIGNED, ...places]
  writeWords(directory, [...words, sizeOfHash | (SHA_256 << 16) | Math.log2(PAGE_BYTES)])
  directory.writeBigUInt64BE(BigInt(textBytes), 72)
  directory.writeBigUInt64BE(MAIN_PROGRAM, 80)
  directory.write(identifier, DIRECTORY_BYTES, 'ascii')
  for (let page = 0; page < pages; page++) {
    const bytes = code.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
    directory.set(hash('sha256', bytes, 'buffer'), hashesAt(identifier) + page * HASH_BYTES)
  }
}

function hashesAt(identifier: string): number {
  return DIRECTORY_BYTES + identifier.length + 1
}

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES)
}

/** @returns the offsets of two commands in the file, and the size of the segment __TEXT, which starts it */
function commandsOf(program: Buffer) {
  const found = new Map<string, number>()
  let at = HEADER_BYTES
  for (let left = program.readUInt32LE(16); left > 0; left--) {
    const kind = program.readUInt32LE(at)
    if (kind === LC_CODE_SIGNATURE) found.set('signature', at)
    if (kind === LC_SEGMENT_64) found.set(program.toString('ascii', at + 8, at + 24).replace(/\0+$/, ''), at)
    at += program.readUInt32LE(at + 4)
  }
  const [signature, linkedit, text] = ['signature', '__LINKEDIT', '__TEXT'].map((name) => found.get(name))
  if (signature === undefined || linkedit === undefined || text === undefined)
    throw new Error('the program has no code signature')
  return { signature, linkedit, textBytes: Number(program.readBigUInt64LE(text + 48)) }
}

// Big endian, unlike the rest of the file.
function writeWords(into: Buffer, words: readonly number[]): void {
  for (const [index, word] of words.entries()) into.writeUInt32BE(word, index * 4)
}
