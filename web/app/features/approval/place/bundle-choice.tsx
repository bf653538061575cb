import { nearest } from '@keyferry/contract/nearest'
import type { RequestContext } from '../../../lib/calls/answers.ts'
import { shownArgument } from '../../../lib/words/shown-argument.ts'
import { Combobox } from '../../../ui/combobox.tsx'
import { CommandLine } from '../../../ui/command-line.tsx'
import { WhenLoaded } from '../loaded.tsx'
import { commandText } from '../request/requested-command.tsx'
import { takesAnyBundle } from './place.ts'
import type { ChosenPlace } from './use-place.ts'

/** The bundle to read, out of those of the chosen workspace that the client takes. */
export function BundleChoice({ place, context }: { place: ChosenPlace; context: RequestContext }) {
  return (
    <WhenLoaded
      of={place.bundles}
      none="Choose a workspace to see its bundles."
      loading="Loading the bundles…"
    >
      {(bundles) =>
        takesAnyBundle(context) ? (
          <Combobox
            label="Bundle"
            placeholder="Search bundles"
            options={bundles.map(({ id, name, description }) => ({ id, name, detail: description }))}
            chosenId={place.bundleId}
            onChoose={place.chooseBundle}
          />
        ) : (
          <OtherCommand
            context={context}
            suggested={place.bundleId === null ? nearestOf(bundles, context.suggested_bundle_id) : null}
          />
        )
      }
    </WhenLoaded>
  )
}

function nearestOf(bundles: readonly { name: string }[], asked: string | null): string | null {
  const names = bundles.map(({ name }) => name)
  return nearest(asked ?? '', names)
}

/** How to get another bundle than the one that the terminal names, which is the only one that its client takes. */
function OtherCommand({ context, suggested }: { context: RequestContext; suggested: string | null }) {
  const { argv, requester_meta: meta } = context
  const started = meta['via'] === 'run' && argv ? ` -- ${commandText(context)}` : ''
  const command = `keyferry ${meta['via'] === 'pull' ? 'pull' : 'run'} ${shownArgument(suggested ?? 'BUNDLE')}`
  return (
    <div className="space-y-1.5 text-sm">
      <p>
        {suggested !== null && (
          <>
            Did you mean <bdi className="font-mono">{suggested}</bdi>?{' '}
          </>
        )}
        The terminal takes no other bundle. Deny, and run:
      </p>
      <CommandLine command={`${command}${started}`} />
    </div>
  )
}
