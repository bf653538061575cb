export const BUN_VERSION = '1.4.4'

/** The runtime of the single executables: the Bun program for one system, as npm has it.
 * @returns `integrity`: of the archive, in the form of a lock file · `program`: within the archive */
const runtime = (system: string, hash: string, program = 'bun') => ({
  package: `@oven/bun-${system}@${BUN_VERSION}`,
  integrity: `sha512-${hash}`,
  program: `package/bin/${program}`,
})

/** The systems that a single executable is built for, named as Bun's targets without `bun-`. */
export const TARGETS = {
  'linux-x64': runtime(
    'linux-x64',
    'CHbbkmHVM28T1GFq+6GL4Ao4ujwwYwj1CxFFwEFzLanPfNsId9AhbIP0Q4reWuWBkGimUkoQygrK7Rgjtj3vog==',
  ),
  'linux-arm64': runtime(
    'linux-aarch64',
    'ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==',
  ),
  'linux-x64-musl': runtime(
    'linux-x64-musl',
    'lEEjNOJJrbGZu2NVcPI4uXdILcpspezWkA8R/Jr0RCGhM6zQd0Y7JBIIKNAmbX59EeWpeEz7Q78iLbpcAUypUA==',
  ),
  'linux-arm64-musl': runtime(
    'linux-aarch64-musl',
    'QFd0P+mHJxbZFbUla4MgiE5OwxysHaUIYxL2pPNkpWtaI7v4ShOpr8OhBmsuyB0xn5rv/ZJnPsj2y8+bB9+g/A==',
  ),
  'darwin-x64': runtime(
    'darwin-x64',
    'oKGcxLsvh4oHjAo28nPm8c/xN0o/OmGyj1IHYc94vprkWsW2hNg2keEZt5f40cI5Hvu4jDlSRTR0UNpv1UIAxw==',
  ),
  'darwin-arm64': runtime(
    'darwin-aarch64',
    'zW/hxwc8sJAILGwB5eTC4i48ouGXf0V4lrxmEOk3JIE6JkYVW1TZh1E2pIempqsezgW1sckTIIDudFON8bJ2Mw==',
  ),
  'windows-x64': runtime(
    'windows-x64',
    'a3LNctBVO8PjePsFZfwDleF2JXYf2BfQ1u/PLRnBDLnC2Riml+4+LgJpKj4xRGhB92KweGyQI5PXaTkP9qypMQ==',
    'bun.exe',
  ),
  'windows-arm64': runtime(
    'windows-aarch64',
    'n0ep5ZRPCZY1+dqFJpnnRUZB1wy4GYU6At8RF+pyzySCLjkN9R4rFh2PtBHAgF/lg1vOl3/CeER3pDM+p40ATA==',
    'bun.exe',
  ),
} as const

export type ReleaseTarget = keyof typeof TARGETS

export const TARGET_NAMES: readonly ReleaseTarget[] = Object.keys(TARGETS).filter(isTarget)

function isTarget(text: string): text is ReleaseTarget {
  return Object.hasOwn(TARGETS, text)
}

/** The target that this machine runs; null if there is none. */
export function targetHere(): ReleaseTarget | null {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `${system}-${process.arch}${isMusl() ? '-musl' : ''}`
  return isTarget(name) ? name : null
}

function isMusl(): boolean {
  const { header } = Object(process.report.getReport())
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined
}
