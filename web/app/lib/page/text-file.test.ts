import { expect, test } from 'vitest'
import { readTextFile } from './text-file.ts'

const file = (content: BlobPart, name = 'a.env') => new File([content], name)
const large = (bytes: number) => file(new Uint8Array(bytes).fill(65))

test.each<[string, File[], string]>([
  ['no file', [], 'Drop a file or paste its text.'],
  ['two files', [file('A=1'), file('B=2')], 'Choose one file at a time: none of the 2 was read.'],
  ['a file that is too large', [large(2_097_153)], 'a.env is larger than 2 MiB.'],
  [
    'a file of another encoding',
    [file(new Uint8Array([0xff, 0x41]))],
    'a.env is not UTF-8 text. Save it as UTF-8, then choose it again.',
  ],
  [
    'a file that is gone',
    [Object.assign(file(''), { arrayBuffer: () => Promise.reject(new Error('gone')) })],
    'a.env could not be read. Choose the file again.',
  ],
])('%s is refused', async (_, files, text) => {
  await expect(readTextFile(files)).rejects.toThrow(text)
})

test('one UTF-8 file of up to 2 MiB is read', async () => {
  expect(await readTextFile([file('A=ü')])).toBe('A=ü')
  expect(await readTextFile([large(2_097_152)])).toHaveLength(2_097_152)
})
