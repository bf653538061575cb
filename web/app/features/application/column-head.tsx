import { useAnswer } from '../../lib/calls/use-call.ts'
import { runCommand } from '../../lib/words/client-command.ts'
import { ago, shortAge } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EnvironmentChip } from './environment/environment-chip.tsx'
import { EnvironmentMenu } from './environment/environment-menu.tsx'
import type { EnvironmentColumn } from './environment/environments.ts'

type ColumnHeadProps = { bundle: EnvironmentColumn; isFew: boolean; isLast: boolean }

/** One environment: its run command, how many variables it has, when values were fetched last, and its menu. */
export function ColumnHead({ bundle, isFew, isLast }: ColumnHeadProps) {
  const use = useAnswer('listUse', { days: 30 }).data?.find(({ id }) => id === bundle.id)
  return (
    <th
      scope="col"
      className={classNames(
        'min-w-48 bg-surface px-4 text-left font-normal',
        isFew && 'sm:sticky sm:top-14 sm:z-10 print:static',
        isLast && 'rounded-tr-lg',
      )}
    >
      <div className="flex items-center gap-1">
        <EnvironmentChip bundle={bundle} />
        <CopyButton text={runCommand(bundle.name)} what={`the command for ${bundle.name}`} />
        <span className="ml-auto truncate text-ink-faint">
          <span className="sr-only">Variables: </span>
          {bundle.key_count}
          {use !== undefined && (
            <time dateTime={use.last_at} title={`Last fetched ${ago(use.last_at)}`}>
              {' '}
              · {shortAge(use.last_at)}
            </time>
          )}
        </span>
        <EnvironmentMenu bundle={bundle} />
      </div>
    </th>
  )
}
