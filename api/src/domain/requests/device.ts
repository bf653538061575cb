import { type CreateRequest, type Device, spanText, TIMES } from '@keyferry/contract'
import {
  type DeviceRequest,
  deviceSignedForget,
  deviceSignedRequest,
  deviceSignedWatch,
} from '@keyferry/crypto/device-key'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'

/*
 * A terminal that may repeat an approval signs with its own key. A signature counts for five minutes and once, so that
 * a copy of a request is worth nothing.
 */

export type DeviceParts = {
  clock: ClockAndIds
  /** True for the first use of a nonce. */
  takeDeviceNonce: (nonce: string) => Promise<boolean>
}

/** How long a nonce must be remembered: as long as a clock may be off, to either side. */
export const DEVICE_NONCE_SECONDS = 2 * TIMES.deviceWindowSeconds

type SignedDevice = z.output<typeof Device>

/** Check that the terminal signed this request.
 * @returns the terminal's public key; null: the request is not signed
 * @throws DomainError invalid */
export async function requireDevice(
  parts: DeviceParts,
  asked: z.output<typeof CreateRequest>,
  clientPublicKey: Uint8Array,
): Promise<string | null> {
  const { device, argv, cwd } = asked
  if (!device || !argv || cwd === undefined) return null
  const request: DeviceRequest = {
    clientPublicKey,
    bundle: asked.bundle_id,
    workspace: asked.workspace,
    templateKeys: asked.template_keys,
    argv,
    argvMasked: asked.argv_masked,
    cwd,
    agent: asked.meta.agent,
    reason: asked.meta.reason,
    use: asked.use,
  }
  if (!deviceSignedRequest(device, request)) throw invalid('device.signature does not fit the request')
  await requireFresh(parts, device)
  return device.public_key
}

/** Check that the terminal wants to be forgotten.
 * @throws DomainError invalid */
export async function requireForgetting(parts: DeviceParts, device: SignedDevice): Promise<void> {
  if (!deviceSignedForget(device)) throw invalid('device.signature does not fit the request')
  await requireFresh(parts, device)
}

/** Check that the terminal wants to learn of changes to a delivery.
 * @throws DomainError invalid */
export async function requireWatching(
  parts: DeviceParts,
  device: SignedDevice,
  deliveryId: string,
): Promise<void> {
  if (!deviceSignedWatch(device, deliveryId)) throw invalid('device.signature does not fit the request')
  await requireFresh(parts, device)
}

async function requireFresh({ clock, takeDeviceNonce }: DeviceParts, device: SignedDevice): Promise<void> {
  const offMs = Math.abs(Date.parse(device.time) - clock.now().getTime())
  if (offMs > TIMES.deviceWindowSeconds * 1_000)
    throw invalid(
      `device.time is more than ${spanText(TIMES.deviceWindowSeconds)} off: set the clock of this computer`,
    )
  if (!(await takeDeviceNonce(`${device.public_key} ${device.nonce}`)))
    throw invalid('device.nonce was used before')
}

function invalid(message: string): DomainError {
  return new DomainError('invalid', message, { details: { field: 'device' } })
}
