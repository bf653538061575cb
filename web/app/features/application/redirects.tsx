import { Redirect, useSearchParams } from 'wouter'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { NotFound } from '../../ui/page-note.tsx'

type BundleRedirectProps = { id: string; part: string | undefined }

/** The address of a bundle by its id leads to its application, which shows it and keeps what the address asks for. */
export function BundleRedirect({ id, part }: BundleRedirectProps) {
  const bundle = useAnswer('getBundle', { bundle_id: id })
  const [params] = useSearchParams()
  return (
    <Loaded
      query={bundle}
      what="the bundle"
      missing={<NotFound what="Bundle" href="/" list="applications" />}
    >
      {({ name }) => {
        if (part === 'rules') return <Redirect replace to={`/rules?bundle=${id}`} />
        const asked = new URLSearchParams(params)
        if (part !== undefined) asked.set('part', part)
        return <Redirect replace to={applicationHref(name, asked)} />
      }}
    </Loaded>
  )
}
