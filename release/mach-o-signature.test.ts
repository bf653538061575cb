import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { withAdHocSignature } from './mach-o-signature.ts'

const CODE_BYTES = 10_000
const LINKEDIT_AT = 8192

/** The least that a signed program has: two segments, and where its signature is. */
function programOf(commands: readonly Buffer[]): Buffer {
  const program = Buffer.alloc(CODE_BYTES + 300, 0xcc)
  program.fill(0, 0, 32)
  program.writeUInt32LE(0xfeedfacf, 0)
  program.writeUInt32LE(commands.length, 16)
  program.set(Buffer.concat(commands), 32)
  return program
}

function segment(name: string, fileOffset: number, bytes: number): Buffer {
  const command = Buffer.alloc(72)
  command.writeUInt32LE(0x19, 0)
  command.writeUInt32LE(72, 4)
  command.write(name, 8)
  command.writeBigUInt64LE(BigInt(fileOffset), 40)
  command.writeBigUInt64LE(BigInt(bytes), 48)
  return command
}

function signature(bytes: number): Buffer {
  const command = Buffer.alloc(16)
  for (const [index, word] of [0x1d, 16, CODE_BYTES, bytes].entries()) command.writeUInt32LE(word, index * 4)
  return command
}

const SEGMENTS = [segment('__TEXT', 0, LINKEDIT_AT), segment('__LINKEDIT', LINKEDIT_AT, 2108)]

test('the signature has the hash of each page, the last one as short as it is', () => {
  const signed = withAdHocSignature(programOf([...SEGMENTS, signature(300)]), 'demo')
  const directory = signed.subarray(CODE_BYTES + 20)
  expect(signed.readUInt32BE(CODE_BYTES)).toBe(0xfade0cc0)
  expect(directory.toString('ascii', 88, 92)).toBe('demo')
  const pages = [signed.subarray(0, 4096), signed.subarray(4096, 8192), signed.subarray(8192, CODE_BYTES)]
  expect(directory.subarray(93).toString('hex')).toBe(pages.map((page) => hash('sha256', page)).join(''))
})

test('the program says how long its signature is, and ends with it', () => {
  const signed = withAdHocSignature(programOf([...SEGMENTS, signature(300)]), 'demo')
  const bytes = 20 + 93 + 3 * 32
  const [linkedit, command] = [32 + 72, 32 + 144]
  expect(signed.length).toBe(CODE_BYTES + bytes)
  expect(signed.readUInt32LE(command + 12)).toBe(bytes)
  expect(signed.readUInt32BE(CODE_BYTES + 4)).toBe(bytes)
  expect(signed.readBigUInt64LE(linkedit + 48)).toBe(BigInt(signed.length - LINKEDIT_AT))
  expect(signed.readBigUInt64LE(linkedit + 32)).toBe(4096n)
})

test('a second signature replaces the first', () => {
  const once = withAdHocSignature(programOf([...SEGMENTS, signature(300)]), 'demo')
  expect(withAdHocSignature(once, 'demo').equals(once)).toBe(true)
})

test('a program without a signature is refused', () => {
  expect(() => withAdHocSignature(programOf(SEGMENTS), 'demo')).toThrow('no code signature')
})
