// The package has no types; these cover what we use.
declare module 'sodium-native' {
  const sodium: {
    readonly crypto_box_SEALBYTES: number
    /** Writes the sealed box of `message` into `box`, which is `crypto_box_SEALBYTES` longer. */
    crypto_box_seal(box: Uint8Array, message: Uint8Array, publicKey: Uint8Array): void
  }
  export = sodium
}
