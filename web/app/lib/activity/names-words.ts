import type { Part, Told } from './told.ts'

/** What the actions of requests for names say after the actor. */
export const namesWords = {
  'names.approved': (told) => [`let ${told.place ?? 'a terminal'} list `, ...listed(told)],
  'names.not_released': (told) => [
    'approved a list of ',
    ...listed(told),
    `, and the approval never returned to a terminal: ${endText(told.text('reason'))}`,
  ],
  'names.void': (told) =>
    told.isRequest
      ? [`tried to deny a request for names: ${endText(told.text('reason'))}`]
      : [
          'approved a list of ',
          ...listed(told),
          `, but the terminal did not get it: ${endText(told.text('reason'))}`,
        ],
  'names.denied': ({ place, origin }) => [
    `denied a request for names from ${place ?? origin('requester_ip') ?? 'a terminal'}`,
  ],
} as const satisfies Readonly<Record<string, (told: Told) => Part[]>>

function listed({ isTenant, bundle }: Told): Part[] {
  return isTenant ? ['the bundles of the workspace'] : ['the names of ', bundle]
}

const ENDS: Readonly<Record<string, string>> = {
  expired: 'the request expired',
  wrong_code: 'its code was wrong',
  withdrawn: 'the request was withdrawn',
}

function endText(reason: string | null): string {
  return ENDS[reason ?? ''] ?? 'another decision was faster'
}
