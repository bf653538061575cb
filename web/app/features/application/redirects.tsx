import { Redirect, useSearchParams } from 'wouter'
import { applicationHref } from '../../lib/page/places.ts'

/** The old address of a comparison leads to the application of the first bundle that it names, with
 * the others beside it. */
export function CompareRedirect() {
  const [params] = useSearchParams()
  const [name, ...besides] = [...params.getAll('siblings'), ...params.getAll('bundle')]
  if (name === undefined) return <Redirect replace to="/" />
  const asked = new URLSearchParams(besides.map((each) => ['with', each]))
  return <Redirect replace to={`${applicationHref(name)}${asked.size > 0 ? `?${asked}` : ''}`} />
}
