// The package has no types; these cover what we use.
declare module 'sodium-native' {
  const sodium: {
    readonly crypto_box_SEALBYTES: number
    /** Writes the sealed box of `message` into `box`, which is `crypto_box_SEALBYTES` longer. */
    crypto_box_seal(box: Uint8Array, message: Uint8Array, publicKey: Uint8Array): void
    /** @returns false: the box is not for this key pair, or was changed */
    crypto_box_seal_open(
      message: Uint8Array,
      box: Uint8Array,
      publicKey: Uint8Array,
      secretKey: Uint8Array,
    ): boolean
  }
  export = sodium
}
