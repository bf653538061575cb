// The package carries no types of its own; this names the one function that is used.
declare module 'sodium-native' {
  export const crypto_box_SEALBYTES: number
  /** Writes the sealed box of `message` into `box`, which is `crypto_box_SEALBYTES` longer. */
  export function crypto_box_seal(box: Uint8Array, message: Uint8Array, publicKey: Uint8Array): void
}
