import { expect, test } from 'vitest'
import { refusal } from '../../test/static-words.ts'
import { signedWhereNeeded, touchSheet } from './touch.ts'

const unsigned = refusal(403, 'touch_required', 'Sign this', { keys: [{ id: 'a1', transports: [] }] })

/** A call that the server takes only signed. */
const change = (act: string) =>
  signedWhereNeeded({ act, input: {} }, async (headers) => {
    if (!('keyferry-touch' in headers)) throw unsigned
    return `${act} ${headers['keyferry-touch']}`
  })

test('two calls ask for their signatures one after the other, and no question stays', async () => {
  const [first, second] = [change('first'), change('second')]
  await expect.poll(touchSheet).toMatchObject({ act: 'first' })
  touchSheet()?.end({ 'keyferry-touch': 'signed' })
  expect(await first).toBe('first signed')
  expect(touchSheet()?.act).toBe('second')
  touchSheet()?.end(null)
  await expect(second).rejects.toThrow('Nothing changed, because you did not sign.')
  expect(touchSheet()).toBeUndefined()
})
