import { Combobox } from '../../../ui/combobox.tsx'
import { WhenLoaded } from '../loaded.tsx'
import type { ChosenPlace } from './use-place.ts'

/** The bundle to read, out of those of the chosen workspace. */
export function BundleChoice({ place }: { place: ChosenPlace }) {
  return (
    <WhenLoaded
      of={place.bundles}
      none="Choose a workspace to see its bundles."
      loading="Loading the bundles…"
    >
      {(bundles) => (
        <Combobox
          label="Bundle"
          placeholder="Search bundles"
          options={bundles.map(({ id, name, description }) => ({ id, name, detail: description }))}
          chosenId={place.bundleId}
          onChoose={place.chooseBundle}
        />
      )}
    </WhenLoaded>
  )
}
