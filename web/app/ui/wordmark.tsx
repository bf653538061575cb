/** The product's mark, with its name where there is room. */
export function Wordmark({ short = false }: { short?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2 text-sm font-semibold text-ink">
      <svg aria-hidden viewBox="0 0 24 24" className="size-6 text-accent" fill="none" stroke="currentColor">
        <g strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round">
          <circle cx="12" cy="5.4" r="2.9" />
          <path d="M12 8.3v7.2M12 12h2.8" />
          <path d="M2.5 15.5h19l-2.3 4a2 2 0 0 1-1.7 1h-11a2 2 0 0 1-1.7-1z" fill="currentColor" />
        </g>
      </svg>
      <span className={short ? 'sr-only' : undefined}>Keyferry</span>
    </span>
  )
}
