import { refusedAnswer } from '../ground/cli-error.ts'
import { parseObject } from '../ground/json-object.ts'
import { list, matching, nullable, object, read, text } from '../ground/shape.ts'
import { callEndpoint, type Server } from './endpoint-call.ts'
import { refusal } from './server-failure.ts'

/** A key with which a server signs receipts: base64 of 32 bytes. `endorsedBy`: the key before signed this one. */
export type ReceiptKey = {
  readonly kid: string
  readonly publicKey: string
  readonly endorsedBy: { readonly kid: string; readonly signature: string } | null
}

const KEYS = object({
  keys: list(
    object({
      kid: text,
      public_key: matching(/^[A-Za-z0-9+/]{43}=$/),
      endorsed_by: nullable(object({ kid: text, signature: matching(/^[A-Za-z0-9+/]{86}==$/) })),
    }),
  ),
})

/** @throws CliError refused · NetworkError */
export async function fetchReceiptKeys(at: Server): Promise<readonly ReceiptKey[]> {
  const answer = await callEndpoint(at, 'listReceiptKeys')
  if (answer.status !== 200) throw refusal(answer, at.server)
  const { keys } = read(parseObject(answer.body), KEYS, () =>
    refusedAnswer('the server sent keys for receipts that this client does not know'),
  )
  return keys.map(({ kid, public_key: publicKey, endorsed_by: endorsedBy }) => ({
    kid,
    publicKey,
    endorsedBy,
  }))
}
