import type { ReactNode } from 'react'
import type { IconComponent } from '../../../ui/icon.tsx'
import { Bot, CircleSlash, Eye, Globe, Info, MessageSquareQuote, TriangleAlert } from '../../../ui/icons.ts'
import { Fact, Ribbon } from '../card.tsx'
import { Names } from '../shown-names.tsx'

/** Why a person should look twice: texts by name, the worst first. `production`: the bundles of production that the
 * approval concerns. `agent`: the AI agent that runs the command. */
export type Reasons = {
  production: readonly string[]
  agent?: ReactNode
  dangers: Readonly<Record<string, ReactNode>>
  cautions?: Readonly<Record<string, ReactNode>>
}

const isReason = ([, text]: [string, ReactNode]) => text !== false && text !== null && text !== undefined

/** The names of what makes an approval dangerous. */
export function dangerNames({ production, dangers }: Reasons): string[] {
  return [...production, ...Object.entries(dangers).flatMap((entry) => (isReason(entry) ? [entry[0]] : []))]
}

const ICONS: Readonly<Record<string, IconComponent>> = {
  network: Globe,
  refused: CircleSlash,
  reason: MessageSquareQuote,
  agent: Eye,
}

/** What a web page's link, production and an agent say across the top of the card. `change`: leads to other places. */
export function ReasonRibbons({ production, agent, dangers, change }: Reasons & { change: ReactNode }) {
  const { link } = dangers
  const isDanger = production.length > 0 || Boolean(link)
  return (
    <>
      <div role={isDanger ? 'alert' : undefined} className="contents">
        {production.length > 0 && (
          <Ribbon tone="production" Icon={TriangleAlert} action={change}>
            <strong className="tracking-wide">PRODUCTION</strong>{' '}
            <span className="ml-2 font-normal">
              <Names names={production} />
            </span>
          </Ribbon>
        )}
        {Boolean(link) && (
          <Ribbon tone="danger" Icon={TriangleAlert}>
            {link}
          </Ribbon>
        )}
      </div>
      {Boolean(agent) && (
        <Ribbon tone="agent" Icon={Bot}>
          {agent}
        </Ribbon>
      )}
    </>
  )
}

/** All other reasons, the worst first. */
export function ReasonFacts({ dangers, cautions = {} }: Pick<Reasons, 'dangers' | 'cautions'>) {
  const { link: _ribbon, ...inFacts } = dangers
  const red = Object.entries(inFacts).filter(isReason)
  return (
    <>
      {red.length > 0 && (
        <div role="alert">
          {red.map(([name, text]) => (
            <Fact key={name} tone="danger" Icon={ICONS[name] ?? TriangleAlert}>
              {text}
            </Fact>
          ))}
        </div>
      )}
      {Object.entries(cautions)
        .filter(isReason)
        .map(([name, text]) => (
          <Fact key={name} Icon={ICONS[name] ?? Info}>
            {text}
          </Fact>
        ))}
    </>
  )
}
