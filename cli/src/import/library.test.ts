import { expect, test } from 'vitest'
import { EXIT } from '../ground/exit-code.ts'
import { LibraryClient } from './library.ts'

test.each([
  ['no JSON', 200, '\u001b]0;owned\u0007'],
  ['half a list', 200, '['],
  ['a status that HTTP does not know', 799, '[]'],
])('%s is an answer that is refused', async (_what, status, body) => {
  const answer = {
    status,
    body,
    contentType: 'application/json',
    retryAfterMs: null,
    dateMs: null,
    location: null,
  }
  const library = new LibraryClient(async () => answer, 'http://127.0.0.1:1')
  await expect(library.read('dev/app')).rejects.toMatchObject({ exitCode: EXIT.refused })
})
