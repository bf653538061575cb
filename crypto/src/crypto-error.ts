export type CryptoErrorCode =
  | 'bad_base64'
  | 'bad_text'
  | 'bad_public_key'
  | 'bad_secret_key'
  | 'bad_sealed_box'
  | 'bad_root_key'
  | 'bad_tenant_key'
  | 'bad_context'
  | 'bad_blob'
  | 'wrong_key'
  | 'bad_caller'
  | 'bad_request_facts'
  | 'bad_poll_verifier'
  | 'bad_password_hash'
  | 'bad_note'
  | 'bad_passkey'

/** The one error that this package throws on purpose. `message` never contains key or value material. */
export class CryptoError extends Error {
  override readonly name = 'CryptoError'
  readonly code: CryptoErrorCode

  constructor(code: CryptoErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
