import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { BundleName, CreateBundle } from './bundle.ts'
import { PlanId } from './import.ts'
import { CreateKey, KeyName } from './key.ts'
import { Flag, Id, object, Timestamp } from './text.ts'

const TOO_MANY = `a move holds at most ${LIMITS.movedKeys} keys: move several bundles at a time`
const NO_FILE = 'library must be a file that keyferry-server export-library wrote'

/** What the box of a moved library holds, as JSON. An entry names its key by its place in `keys`. `changed_at`: when
 * the value last changed; null where the file does not say. */
export const LibraryContent = z.object({
  v: z.literal(1),
  keys: z
    .array(CreateKey.extend({ changed_at: Timestamp.nullable().default(null) }))
    .max(LIMITS.movedKeys, TOO_MANY),
  bundles: z
    .array(
      CreateBundle.extend({
        entries: z.array(z.object({ key: z.int().min(0), name: KeyName, required: Flag('required') })),
      }),
    )
    .max(LIMITS.movedKeys, TOO_MANY),
})

export type LibraryContent = z.output<typeof LibraryContent>

/** The file that `keyferry-server export-library` writes. `kid`: the deposit key that the box is sealed to. */
export const SealedLibrary = z
  .object(
    {
      keyferry_library: z.literal(1, NO_FILE),
      kid: z.string({ error: NO_FILE }).regex(/^[0-9a-f]{16}$/, NO_FILE),
      box_base64: z.base64({ error: NO_FILE }).max(Math.ceil((LIMITS.movedBytes + 48) / 3) * 4, NO_FILE),
    },
    { error: NO_FILE },
  )
  .meta({ id: 'SealedLibrary' })

/** `plan_id`: apply only what this plan says. */
export const MoveLibrary = object(
  'MoveLibrary',
  {
    library: SealedLibrary,
    dry_run: Flag('dry_run').default(false),
    plan_id: PlanId.optional(),
  },
  {
    library: { keyferry_library: 1, kid: '9c1f5a3e7b2d4860', box_base64: 'c2VhbGVk' },
    dry_run: true,
  },
)

/** - `create`: a new bundle, or a new key, under its own name
 * - `rename`: a new key under another library name, because the library has a key of its name; bundles deliver it
 *   under the same name as before
 * - `share`: the library has the same key with the same value: arriving bundles use it
 * - `left_out`: the name exists, and what has it stays as it is; of a key: no arriving bundle uses it */
export const MOVE_ACTIONS = ['create', 'rename', 'share', 'left_out'] as const

const MoveAction = z.enum(MOVE_ACTIONS)

/** What a move does. `key_name`: in the library of the call. `key_count`: of the bundle in the file. */
export const LibraryMove = object('LibraryMove', {
  plan_id: z.string(),
  bundles: z.array(
    z.object({ name: BundleName, action: MoveAction, key_count: z.int(), bundle_id: Id.nullable() }),
  ),
  keys: z.array(z.object({ name: KeyName, action: MoveAction, key_name: KeyName, is_secret: z.boolean() })),
})
