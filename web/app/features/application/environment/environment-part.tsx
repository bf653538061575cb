import type { Bundle } from '../../../lib/calls/answers.ts'
import { applicationHref } from '../../../lib/page/places.ts'
import { ActivityOf } from '../../../ui/activity/activity-of.tsx'
import { deferred } from '../../../ui/deferred.tsx'
import { EntryLink } from '../../../ui/entry-name.tsx'
import { PageHeading } from '../../../ui/page-heading.tsx'

const BundleMachines = deferred('BundleMachines', () => import('./bundle-machines.tsx'))

const PARTS = { machines: 'Machines', activity: 'Activity' } as const

export type EnvironmentPartName = keyof typeof PARTS

export const isPart = (text: string): text is EnvironmentPartName => text in PARTS

/** What an environment has beside its variables: the machines that use it, and what happened to it. */
export function EnvironmentPart({ bundle, part }: { bundle: Bundle; part: EnvironmentPartName }) {
  const { id, name } = bundle
  return (
    <>
      <PageHeading
        title={`${PARTS[part]} of ${name}`}
        intro={<EntryLink href={applicationHref(name)} name="Back to the variables" className="link" />}
      />
      {part === 'machines' && <BundleMachines bundleId={id} />}
      {part === 'activity' && <ActivityOf id={id} />}
    </>
  )
}
