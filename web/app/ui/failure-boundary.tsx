import { Component, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { NOTE_CARD } from './note-card.ts'

type Props = { children: ReactNode }

/** Replaces a part of the app that failed to load or to render, so that the rest stays usable. Reloading helps most
 * often: the server may have been updated since the page was opened. */
export class FailureBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <div role="alert" className={NOTE_CARD}>
        <h1 className="text-lg font-semibold">This page could not be shown</h1>
        <p className="mt-6 text-ink-soft">
          A part of it failed to load, or something in it went wrong. Nothing that was saved is lost.
        </p>
        <Button label="Reload the page" look="primary" className="mt-6" onClick={() => location.reload()} />
      </div>
    )
  }
}
