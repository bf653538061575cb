import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { seal } from '@keyferry/crypto/seal'
import sodium from 'sodium-native'
import { type Benchmark, median, ratioOf, rounded } from './measurement.ts'

const BYTES = 2_048
const TARGET = 0.8
const BATCH = 2_000

/** Sealing 2 KB as the API does it, beside libsodium called directly. */
export const sealing: Benchmark = async ({ turns }) => {
  const plaintext = Buffer.alloc(BYTES, 'x')
  const { publicKey } = generateKeyPair()
  const direct = () => {
    const box = Buffer.allocUnsafe(BYTES + sodium.crypto_box_SEALBYTES)
    sodium.crypto_box_seal(box, plaintext, publicKey)
  }
  const rounds = Array.from({ length: turns * 3 }, () => ({
    direct: perSecond(direct),
    subject: perSecond(() => seal(plaintext, publicKey)),
  }))
  const ratio = median(rounds.map((round) => round.subject / round.direct))
  return [
    ratioOf(ratio, TARGET, {
      what: 'seal 2 KB',
      subject: `${rounded(median(rounds.map((round) => round.subject)))}/s`,
      baseline: `${rounded(median(rounds.map((round) => round.direct)))}/s libsodium`,
    }),
  ]
}

function perSecond(act: () => void): number {
  const startedAt = performance.now()
  for (let count = 0; count < BATCH; count++) act()
  return BATCH / ((performance.now() - startedAt) / 1_000)
}
