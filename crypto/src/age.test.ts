import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encryptToAge } from './age.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-age-'))

function newIdentity(name: string): { file: string; recipient: string } {
  const file = join(folder, name)
  execFileSync('age-keygen', ['-o', file], { stdio: 'ignore' })
  return { file, recipient: /public key: (\S+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? '' }
}

const decrypted = (file: string, input: string) =>
  execFileSync('age', ['--decrypt', '--identity', file], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  })

const [ana, ben, eve] = [newIdentity('ana'), newIdentity('ben'), newIdentity('eve')]

test.each([0, 1, 44, 65_536, 65_537])(
  'age opens %s bytes for each recipient, and for nobody else',
  async (length) => {
    const text = 'k'.repeat(length)
    const kit = await encryptToAge(Buffer.from(text), [ana.recipient, ben.recipient])
    expect([decrypted(ana.file, kit), decrypted(ben.file, kit)]).toEqual([text, text])
    expect(() => decrypted(eve.file, kit)).toThrow()
  },
)

test('a flipped byte does not open', async () => {
  const lines = (await encryptToAge(Buffer.from('a root key'), [ana.recipient])).split('\n')
  const middle = lines[3] ?? ''
  const kit = lines.with(3, `${middle.startsWith('A') ? 'B' : 'A'}${middle.slice(1)}`).join('\n')
  expect(() => decrypted(ana.file, kit)).toThrow()
})

test.each([
  ['nobody', []],
  ['a key with a typing error', [ana.recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))]],
  ['a secret key', ['AGE-SECRET-KEY-1QQQ']],
  ['an SSH key', ['ssh-ed25519 AAAA']],
  ['a point of low order', ['age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqsh3mv6j']],
])('%s is refused', async (_, recipients) => {
  const sealing = encryptToAge(Buffer.from('x'), recipients)
  await expect(sealing).rejects.toMatchObject({ code: 'bad_public_key' })
})
