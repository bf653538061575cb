import { useAnswer } from '../../lib/calls/use-call.ts'
import { useSession } from '../../lib/data/me.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Tells a person that somebody with their verified e-mail address was here before, where that can be linked. */
export function LinkOffer() {
  return useSession().data?.link_from == null ? null : <Offer />
}

function Offer() {
  if (useAnswer('listLinks', {}, { staleTime: 60_000 }).data?.offered !== true) return null
  return (
    <Notice tone="plain" role="status" className="mx-auto mb-5 max-w-wide print:hidden">
      <div className="flex flex-wrap items-center gap-2">
        <p className="flex-1 basis-52">
          Somebody with your e-mail address signed in here in another way. If it was you, link the two.
        </p>
        <ButtonLink href="/account" size="small" label="Link" />
      </div>
    </Notice>
  )
}
