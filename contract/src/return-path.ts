const MAX_LENGTH = 2_048
const OURS = 'https://ours.invalid'

/** One slash: with two, what follows is a host. */
const PATH = /^\/(?![/\\])[\x21-\x7e]*$/
const LOOPS = /^\/(?:sign-in|sign-up|auth)(?:\/|$)/

/** Where to go after sign-in: `asked` when it is a path of ours, otherwise home. A link may carry anything. */
export function returnPath(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > MAX_LENGTH || !PATH.test(asked)) return '/'
  const address = URL.parse(asked, OURS)
  if (address?.origin !== OURS || LOOPS.test(address.pathname)) return '/'
  const path = address.pathname + address.search + address.hash
  // Taking out `..` can leave two slashes behind.
  return PATH.test(path) ? path : '/'
}

/** The `return_to` of a path with its query, or of a query alone. */
export function askedReturn(address: string): string {
  return returnPath(new URL(address, OURS).searchParams.get('return_to'))
}
