import { touchChallenge } from '@keyferry/crypto/touch'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { type Answer, type Asked, signedDelivery } from './scripted-server.ts'

const WORKSPACE = { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: 'Acme' }
const COSE_BYTES = 77

const base64 = (text: string) => Buffer.from(text, 'base64url').toString('base64')

/** A delivery whose approver signed with a new signing key. */
export function touchedDelivery(asked: Asked, plaintext: string): Partial<Answer> {
  const answer = signedDelivery(asked, plaintext, { workspace: WORKSPACE })
  const { body } = answer as { body: { receipt: { payload: string } } }
  const receipt = JSON.parse(Buffer.from(body.receipt.payload, 'base64').toString())
  const { argv = null } = asked.body
  const statement = {
    tenant: WORKSPACE.id,
    person: receipt.approvers[0].id,
    bundle: receipt.bundle,
    keys: receipt.keys,
    request: { id: asked.id, client_pubkey: receipt.client_pubkey, argv },
    way: receipt.released_by,
    first: null,
  }
  const touches = [signedBy(new SoftwarePasskey(), statement, asked.origin)]
  return { ...answer, body: { ...body, receipt: { ...body.receipt, touches } } }
}

function signedBy(device: SoftwarePasskey, said: object, origin: string) {
  const site = { origin, rpId: new URL(origin).hostname }
  const leaf = { nonce: Buffer.alloc(32, 1), statement: Buffer.from(JSON.stringify(said)) }
  const challenge = Buffer.from(touchChallenge(leaf)).toString('base64url')
  const { attestationObject } = device.create({ ...site, challenge }).response
  const { id, response } = device.use({ ...site, challenge, counter: 1 })
  return {
    statement: leaf.statement.toString('base64'),
    nonce: leaf.nonce.toString('base64'),
    credential_id: id,
    public_key: Buffer.from(attestationObject, 'base64url').subarray(-COSE_BYTES).toString('base64'),
    client_data: base64(response.clientDataJSON),
    authenticator_data: base64(response.authenticatorData),
    signature: base64(response.signature),
  }
}
