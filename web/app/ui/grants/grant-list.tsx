import { Link } from 'wouter'
import type { Grant } from '../../lib/calls/answers.ts'
import { useChange, without } from '../../lib/calls/use-call.ts'
import { ALL } from '../../lib/data/lists.ts'
import { counted } from '../../lib/words/counted.ts'
import { placeOf } from '../../lib/words/holder-text.ts'
import { shownArgument } from '../../lib/words/shown-argument.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { exactText, visibleText } from '../../lib/words/visible-text.ts'
import { Button, IconButton } from '../button.tsx'
import { X } from '../icons.ts'
import { Rows } from '../section.tsx'
import { failing } from '../toast-store.ts'
import { WholeWords } from '../whole-words.tsx'

/** `isOver`: the grant ended after it was drawn. */
type DrawnGrant = Grant & { isOver?: boolean }

/** Remembered approvals: which command on which terminal, until when, and how often used; each can be revoked. */
export function GrantList({ grants, namesPeople }: { grants: readonly DrawnGrant[]; namesPeople: boolean }) {
  return (
    <Rows>
      {grants.map((grant) => (
        <GrantRow key={grant.id} grant={grant} namesPerson={namesPeople} />
      ))}
    </Rows>
  )
}

function GrantRow({ grant, namesPerson }: { grant: DrawnGrant; namesPerson: boolean }) {
  const shows = without('listGrants', ALL, grant.id)
  const revoke = useChange('revokeGrant', { grant_id: grant.id }, { shows })
  const { bundle, person, label, argv, cwd, repository, agent, task, keys } = grant
  const end = () => revoke.mutate(undefined, { onError: failing('end this approval') })
  return (
    <li className="flex items-start gap-3 py-3 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="overflow-hidden text-sm font-medium">
          {task ? (
            `Task: any command of ${agent === null ? 'your programs' : visibleText(agent)}`
          ) : (
            <WholeWords text={argv.map(shownArgument).join(' ')} />
          )}
        </p>
        <p className="mt-0.5 overflow-hidden text-xs text-ink-soft">
          <Link href={`/bundles/${bundle.id}`} className="link font-mono">
            {bundle.name}
          </Link>
          {task && `, ${counted(keys.length, 'variable')}`}
          {namesPerson && ` · ${person.name ?? 'a former member'}`} · {placeOf(label)} ·{' '}
          <WholeWords text={exactText(repository ?? cwd)} />
          {repository !== undefined && ' in all git worktrees'}
          {!task && agent !== null && ` · AI agent ${visibleText(agent)}`}
        </p>
        <GrantUses grant={grant} />
      </div>
      {task ? (
        <span className={grant.isOver ? 'invisible' : ''}>
          <Button label="End" busy={revoke.isPending} onClick={end} />
        </span>
      ) : (
        <IconButton
          label={`Revoke ${bundle.name}`}
          disabled={revoke.isPending}
          onClick={end}
          icon={X}
          px={17}
        />
      )}
    </li>
  )
}

function GrantUses({ grant }: { grant: DrawnGrant }) {
  const { uses, uses_left, expires_at, last_used_at, task, label, changed = [], isOver } = grant
  const program = task && last_used_at !== null ? ` ${visibleText(label.program)}` : ''
  return (
    <p className="mt-0.5 text-xs text-ink-soft">
      {task ? counted(uses, 'run') : `Used ${counted(uses, 'time')}`}
      {last_used_at !== null && `, last${program} ${ago(last_used_at)}`} ·{' '}
      {isOver ? 'ended' : `${uses_left} left · ends ${ahead(expires_at)}`}
      {changed.map(({ name, by }) => (
        <span key={name} className="block">
          {name} changed by {by ?? 'a former member'}
        </span>
      ))}
    </p>
  )
}
