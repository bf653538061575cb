const MAX_LENGTH = 2_048
const OURS = 'https://ours.invalid'

/** Where to go after sign-in: a path of ours, or home for anything else that a link may carry. */
export function returnPath(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked))
    return '/'
  const address = URL.parse(asked, OURS)
  const isOurs = address?.origin === OURS && !/^\/(?:sign-in|sign-up|auth)(?:\/|$)/.test(address.pathname)
  return isOurs ? address.pathname + address.search + address.hash : '/'
}

/** The `return_to` of an address. */
export function askedReturn(url: string): string {
  return returnPath(new URL(url, OURS).searchParams.get('return_to'))
}
