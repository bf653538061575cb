import { Fragment } from 'react'
import type { Bundle } from '../../../lib/calls/answers.ts'
import { applicationHref } from '../../../lib/page/places.ts'
import { ActivityOf } from '../../../ui/activity/activity-of.tsx'
import { EntryLink } from '../../../ui/entry-name.tsx'
import { PageHeading } from '../../../ui/page-heading.tsx'
import { ENVIRONMENT_PARTS } from '../../joined-modules.ts'

const PARTS = [
  ...ENVIRONMENT_PARTS,
  {
    name: 'activity',
    label: 'Activity',
    Part: ({ bundleId }: { bundleId: string }) => <ActivityOf id={bundleId} />,
  },
]

export const isPart = (text: string) => PARTS.some(({ name }) => name === text)

/** What an environment has beside its variables, such as what happened to it. */
export function EnvironmentPart({ bundle: { id, name }, part }: { bundle: Bundle; part: string }) {
  return PARTS.filter((each) => each.name === part).map(({ label, Part }) => (
    <Fragment key={part}>
      <PageHeading
        title={`${label} of ${name}`}
        intro={<EntryLink href={applicationHref(name)} name="Back to the variables" className="link" />}
      />
      <Part bundleId={id} />
    </Fragment>
  ))
}
