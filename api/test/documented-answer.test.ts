import { expect, test } from 'vitest'
import { problemOfAnswer } from './documented-answer.ts'

const ready = { status: 'ready', ciphertext_base64: 'AA==' }
const id = '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10'
const mediaType = 'application/json'

test.each([
  ['as documented', 200, { ...ready, bundle: { id, name: 'dev/app' } }, null],
  ['a bundle by its name only', 200, { ...ready, bundle: 'dev/app' }, /bundle must be object/],
  ['a missing field', 200, { status: 'ready' }, /ciphertext_base64/],
  ['an undocumented status', 418, { error: 'teapot', code: 'teapot' }, /418/],
  ['another media type', 200, ready, /text~1plain/, 'text/plain'],
])('an answer is compared with the document: %s', (_what, status, body, problem, type = mediaType) => {
  const found = problemOfAnswer('waitForApproval', { status, mediaType: type, body })
  if (problem === null) expect(found).toBeNull()
  else expect(found).toMatch(problem)
})
