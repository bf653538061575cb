import { expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { NetworkError } from '../base/exchange.ts'
import { findCredential } from './credential.ts'

const exchange = async () => {
  throw new NetworkError('ETIMEDOUT', 'late')
}

test('when the platform gives no ID token, the error names the platform, not the server', async () => {
  const env = {
    KEYFERRY_MACHINE: 'm',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'https://tokens.example.com/id?v=1',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't',
  }
  const credential = findCredential(null, 'https://keyferry.example.com', { ...stage(env, '/'), exchange })
  await expect(credential?.forKey(new Uint8Array(32))).rejects.toThrow(
    'no answer from https://tokens.example.com: late',
  )
})
