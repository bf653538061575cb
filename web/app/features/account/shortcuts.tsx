const SHORTCUTS: readonly { keys: readonly string[]; text: string }[] = [
  { keys: ['Ctrl', 'K'], text: 'Go to any page, bundle or key (⌘ K on a Mac)' },
  { keys: ['/'], text: 'Search the list on the page' },
  { keys: ['g', 'b'], text: 'Bundles' },
  { keys: ['g', 'k'], text: 'Keys' },
  { keys: ['g', 'c'], text: 'Compare' },
  { keys: ['g', 'i'], text: 'Import' },
  { keys: ['g', 't'], text: 'Activity, for owners' },
  { keys: ['g', 'm'], text: 'Machines' },
  { keys: ['g', 's'], text: 'Settings' },
  { keys: ['g', 'a'], text: 'Account' },
  { keys: ['↑', '↓'], text: 'The row above or below; ← and → go through a row' },
  { keys: ['e'], text: 'Edit the value of a variable, on its row' },
  { keys: ['Space'], text: 'Select a row, with Shift up to the last one' },
  { keys: ['Alt', '↑'], text: 'Move a variable within its bundle' },
]

/** The app's keyboard shortcuts. */
export function Shortcuts() {
  return (
    <section aria-labelledby="shortcuts" className="mt-8">
      <h2 id="shortcuts" className="text-sm font-semibold">
        Keyboard shortcuts
      </h2>
      <dl className="mt-2 grid grid-cols-[6rem_1fr] items-center gap-y-2 text-sm">
        {SHORTCUTS.map(({ keys, text }) => (
          <div key={text} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="inline-flex min-w-6 justify-center rounded-sm border border-line bg-surface px-1.5 font-sans text-xs leading-5"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-ink-soft">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
